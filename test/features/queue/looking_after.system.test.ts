/** What people and workers do to a queue: stop it, start it again, cancel; what a worker has in hand, and how large a job is. */
import { expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/features/queue/job_requirements.ts'
import { manageQueues } from '../../../src/features/queue/queue_status.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { readSpent } from '../../../src/store/artefacts/spending_log.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { askedOf, benchHere, lives, makeAgent, mostAtOnce, redisHere, workHere } from './here.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { needsRedis } from './server/servers.ts'

needsRedis('a queue', () => {
  const url = redisHere()
  /** What `queue <action>` says. */
  const said = async (action: string, ...flags: string[]) => {
    const end = await runMain(['queue', action, '--queue', url(), ...flags])
    expect(end.code, end.stderr).toBe(0)
    return end.stdout
  }
  const queueOf = (tags: readonly string[] = []) =>
    queueName(resolveQueueNeeds({ name: 'command', model: null }, tags, {}))

  test('that is drained gives nothing out until it is resumed; cancelled, what waits and what is in hand ends', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using _worker = await workHere(url(), shared)
    await using look = await openTransport(parseQueueAddress(url()))
    const queue = queueOf()
    await benchHere(askedOf(agent, ['one'], { url: url(), shared }))
    expect(await said('drain')).toMatch(/^drained: .*queue resume/)
    const waiting = askedOf(agent, ['wait 1', 'wait 2'], { url: url(), shared })
    const running = benchHere(waiting)
    await expect.poll(async () => (await look.counts(queue)).waiting).toBe(4)
    expect(agent.starts()).toBe(2)
    expect(JSON.parse(await said('resume', '--json'))).toMatchObject({ did: 'resumed', queues: [{ queue }] })
    await agent.untilBegun(4)
    expect(await manageQueues('status', look, new Date())).toMatchObject({
      place: url(),
      queues: [{ queue, needs: { engine: 'command', tags: [] }, counts: { waiting: 2, active: 2, isDrained: false } }],
      workers: [{ engines: ['command'], places: 2, version: 'test', done: 2 }],
      did: null,
    })
    expect(await said('cancel')).toMatch(/^cancelled: 4\n/)
    const { benchmark, events } = await running
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 4, used: 0 } })
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? event.status : []))
    expect(ends).toEqual(Array(4).fill('cancelled'))
    expect(agent.starts()).toBe(4)
    await expect.poll(() => agent.pids().filter(lives)).toEqual([])
    agent.open()
    expect((await benchHere(waiting)).benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    expect(await look.counts(queue)).toMatchObject({ waiting: 0, active: 0, done: 0, failed: 0 })
    expect((await look.notes()).map(({ id }) => id).filter((id) => id.startsWith('end-'))).toEqual([])
  })

  test('whose worker has another shared folder: a run that was made, and does not lie there, is a failed one that says so and is paid for', async () => {
    const agent = makeAgent()
    const [ours, theirs] = [fresh(), fresh()]
    await using _worker = await workHere(url(), theirs)
    const limits = { budget: 100, budgetTokens: null, deadline: null, costPerRun: 3 }
    const asked = { ...askedOf(agent, ['one'], { url: url(), shared: ours }), limits }
    const { benchmark, events, folder } = await benchHere(asked)
    expect(agent.starts()).toBe(1) // of the arm that needs no bundle
    const ends = events.flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    expect(ends.find(({ configuration }) => configuration === 'without_skill')).toMatchObject({
      ...{ status: 'failed', kind: 'crash' },
      message: expect.stringMatching(/^worker .*: .*no run found there.*--shared/),
    })
    expect(ends.map(({ status }) => status)).toEqual(['failed', 'failed'])
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 2, used: 0 } })
    const paid = (await readSpent(folder)).filter(({ usd }) => usd !== 0)
    expect(paid).toMatchObject([{ run_id: expect.stringContaining('without_skill') }])
  })

  test('whose coordinator is gone: what has failed meanwhile is shown, and put back by retry', async () => {
    const queue = queueOf()
    await using look = await openTransport(parseQueueAddress(url()))
    await using worker = await workHere(url(), fresh())
    await look.submit(queue, { id: 'unfit', data: {} })
    await expect.poll(async () => (await look.counts(queue)).failed).toBe(1)
    expect(await said('status')).toMatch(new RegExp(`${queue} +command +0 +0 +0 +1`))
    expect(await said('retry')).toMatch(/^put back: 1\n/)
    const refused = () => worker.told.filter(({ type }) => type === 'job_refused').length
    await expect.poll(refused).toBe(2)
    await expect.poll(async () => (await look.counts(queue)).failed).toBe(1)
    await look.remove(queue, ['unfit'])
  })
})

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
    await expect.poll(held).toBe(3)
    await agent.untilBegun(2)
    await using look = await openTransport(parseQueueAddress(url()))
    const queues = worker.told.flatMap((event) => (event.type === 'queue_held' ? [event.queue] : []))
    const jobs = async () => {
      const counts = await Promise.all(queues.map((one) => look.counts(one)))
      return counts.map(({ waiting, active }) => waiting + active)
    }
    await expect.poll(jobs).toEqual([8, 8, 8])
    expect(agent.starts()).toBe(2)
    agent.open()
    for (const { benchmark } of await Promise.all(running)) expect(benchmark).toMatchObject({ complete: true })
    expect(mostAtOnce(agent.lines())).toBe(2)
    // on a busy machine a run may be repeated: after a failure, or because the lock of its job was lost
    const begun = worker.told.map((one) => (one.type === 'job_ended' ? one.attempt : one.type === 'job_left' ? 1 : 0))
    expect(worker.told.filter(({ type }) => type === 'job_ended')).toHaveLength(24)
    expect(agent.starts()).toBe(begun.reduce((sum, one) => sum + one, 0))
  })

  test('of several workers keeps to the budget of the benchmark', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using _one = await workHere(url(), shared)
    await using _two = await workHere(url(), shared)
    const limits = { budget: 5, budgetTokens: null, deadline: null, costPerRun: 1 }
    const asked = { ...askedOf(agent, ['one', 'two', 'three'], { url: url(), shared }), runs: 2, limits }
    const { benchmark } = await benchHere(asked)
    expect(benchmark).toMatchObject({ complete: false, counts: { planned: 12, used: 4 } }) // both arms or none
    expect(benchmark.metadata.stopped).toMatchObject({ kind: 'budget' })
    const more = { ...asked, limits: { ...limits, budget: 100 } }
    expect((await benchHere(more)).benchmark).toMatchObject({ complete: true })
    expect(agent.starts()).toBe(12)
  })

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
  })
})
