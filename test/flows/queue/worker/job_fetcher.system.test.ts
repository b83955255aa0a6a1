/** A worker takes no more than it has places for, over all of its queues, and nothing while its disk is full. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseQueueAddress } from '../../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../../src/jobs/queue/open.ts'
import { fresh } from '../../../e2e/program.ts'
import { needsRedis } from '../../../jobs/queue/servers.ts'
import { askedOf, benchHere, lives, makeAgent, mostAtOnce, redisHere, workHere } from '../here.ts'
import { startWorker } from '../worker.ts'

needsRedis('a worker', () => {
  const url = redisHere()

  test('of several queues has no more in hand than it has places; each queue comes to its turn', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using worker = await workHere(url(), shared, { tags: ['a', 'b'] })
    const bench = (tags: string[]) =>
      benchHere({ ...askedOf(agent, ['wait 1', 'wait 2'], { url: url(), shared, tags, atOnce: 8 }), runs: 2 })
    const running = [[], ['a'], ['b']].map(bench)
    const held = () => worker.told.filter(({ type }) => type === 'queue_held').length
    await expect.poll(held, { timeout: 10_000 }).toBe(3)
    await agent.untilBegun(2)
    await using look = await openTransport(parseQueueAddress(url()))
    const queues = worker.told.flatMap((event) => (event.type === 'queue_held' ? [event.queue] : []))
    const jobs = async () => {
      const counts = await Promise.all(queues.map((one) => look.counts(one)))
      return counts.map(({ waiting, active }) => waiting + active)
    }
    await expect.poll(jobs, { timeout: 10_000 }).toEqual([8, 8, 8])
    expect(agent.starts()).toBe(2)
    agent.open()
    for (const { benchmark } of await Promise.all(running)) expect(benchmark).toMatchObject({ complete: true })
    expect(mostAtOnce(agent.lines())).toBe(2)
    // on a busy machine a run may be repeated: after a failure, or because the lock of its job was lost
    const begun = worker.told.map((one) => (one.type === 'job_ended' ? one.attempt : one.type === 'job_left' ? 1 : 0))
    expect(worker.told.filter(({ type }) => type === 'job_ended')).toHaveLength(24)
    expect(agent.starts()).toBe(begun.reduce((sum, one) => sum + one, 0))
  }, 60_000)

  test('whose disk is full gives back what it took, says why and takes nothing, until there is room again', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using worker = await startWorker(url(), shared, { flags: ['--engines', 'command'] })
    /** As a full disk does, every write to a file fails; what the process already has stays. */
    const room = (bytes: string) => execFileSync('prlimit', ['--pid', `${worker.child.pid}`, `--fsize=${bytes}:`])
    const told = (type: string) => worker.events.filter((event) => event.type === type)
    room('0')
    const running = benchHere(askedOf(agent, ['one'], { url: url(), shared }))
    await expect.poll(() => told('intake_stopped'), { timeout: 10_000 }).toHaveLength(1)
    expect(told('intake_stopped')[0]).toMatchObject({ level: 'error', reason: expect.stringContaining('EFBIG') })
    {
      await using _other = await workHere(url(), shared)
      expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2, excluded: {} } })
    }
    expect(agent.starts()).toBe(2)
    const taken = worker.started()
    room('unlimited')
    const next = await benchHere(askedOf(agent, ['two'], { url: url(), shared }))
    expect(next.benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(told('intake_resumed')).toHaveLength(1)
    expect(worker.started()).toBe(taken + 2)
    expect(readdirSync(shared).filter((name) => name.startsWith('.room'))).toEqual([])
  }, 60_000)

  test('told to stop at once ends its agents and gives back what it had in hand; another makes it', async () => {
    const agent = makeAgent()
    const shared = fresh()
    const running = benchHere(askedOf(agent, ['wait'], { url: url(), shared }))
    const worker = await workHere(url(), shared)
    await agent.untilBegun(2)
    const begun = agent.pids()
    await worker[Symbol.asyncDispose]()
    expect(begun.filter(lives)).toEqual([])
    expect(worker.told.filter(({ type }) => type === 'job_left')).toHaveLength(2)
    agent.open()
    await using _other = await workHere(url(), shared)
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2, excluded: {} } })
    expect(agent.starts()).toBe(4)
  }, 30_000)
})
