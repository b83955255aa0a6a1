/** A job is given up for the shortages it met, not for how often it was given back. */
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { ReleaseJob } from '../../../src/jobs/queue/transport.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from './here.ts'
import { startWorker } from './worker.ts'

/** No file that a process writes gets longer. */
function longest(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
}

needsRedis('a job', () => {
  const url = redisHere()
  const queueOf = (tag: string) => queueName(resolveQueueNeeds({ name: 'command', model: null }, [tag], {}))

  test('that was given back many times and then meets a full disk once is made by the next worker', async () => {
    const quick = makeAgent()
    const shared = fresh()
    const tags = ['busy']
    const queue = queueOf('busy')
    const running = benchHere(askedOf(quick, ['one'], { url: url(), shared, tags }))
    await using transport = await openTransport(parseQueueAddress(url()))
    const starts = new Map<string, number>()
    {
      await using _busy = await transport.work(queue, {
        atOnce: 2,
        onTrouble: () => {},
        handle: async (job) => {
          starts.set(job.id, job.starts)
          throw new ReleaseJob('this worker already runs as many jobs as it may')
        },
      })
      const least = () => Math.min(...starts.values(), starts.size === 2 ? Number.POSITIVE_INFINITY : 0)
      await expect.poll(least).toBeGreaterThan(25)
    }
    await using full = await startWorker(url(), shared, { flags: ['--engines', 'command', '--tags', 'busy'] })
    longest(full.child.pid ?? 0, '1') // enough for the look whether it may write at all
    const left = () => full.events.filter(({ type }) => type === 'job_left')
    await expect.poll(() => left().length).toBeGreaterThan(0)
    await using _other = await workHere(url(), shared, { tags })
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2, excluded: {} } })
  })

  test('is left to others by a worker whose shared folder can not be written to, until it can', async () => {
    const shared = fresh()
    const [mount, away] = [path.join(fresh(), 'mount'), path.join(fresh(), 'away')]
    const see = (target: string) => {
      rmSync(mount, { force: true })
      symlinkSync(target, mount)
    }
    see(away)
    await using worker = await workHere(url(), mount, { tags: ['away'] })
    const told = (type: string) => worker.told.filter((one) => one.type === type)
    const reason = expect.stringMatching(/^the shared folder can't be written to: ENOENT/)
    await expect.poll(() => told('intake_stopped')).toMatchObject([{ reason }])
    const agent = makeAgent()
    const running = benchHere(askedOf(agent, ['one', 'wait'], { url: url(), shared, tags: ['away'] }))
    await expect.poll(() => told('queue_held')).toHaveLength(1)
    await sleep(1000)
    expect(told('job_started')).toEqual([]) // nothing is taken
    see(shared)
    await agent.untilBegun(4)
    see(away) // while two are in hand
    agent.open()
    await expect.poll(() => told('intake_stopped')).toMatchObject([{ reason }, { reason }])
    await expect.poll(() => told('job_left')).toHaveLength(2)
    see(shared)
    const { benchmark } = await running
    expect(benchmark).toMatchObject({ complete: true, counts: { used: 4, excluded: {} } })
    expect(told('intake_resumed')).toHaveLength(2)
  })

  test('that meets nothing but shortages is a failed record in the end, and only then', async () => {
    const shared = fresh()
    const large = { 'evals/files/large.txt': 'x'.repeat(6_000_000) }
    const checks = [{ type: 'contains', value: 'TIDY' }]
    const skill = makeSkill([{ id: 1, prompt: 'one', files: ['evals/files/large.txt'], checks }], large)
    const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off', '--tags', 'large', '--json']
    const args = ['bench', skill, ...flags, '--queue', url(), '--shared', shared, '--workspace', fresh()]
    const running = whetstone(args)
    await using transport = await openTransport(parseQueueAddress(url()))
    const queue = queueOf('large')
    await expect.poll(async () => (await transport.counts(queue)).waiting).toBe(2)
    longest(process.pid, '4500000')
    try {
      await using worker = await workHere(url(), shared, { tags: ['large'], mostShortages: 3 })
      const { stdout } = await running
      const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      const ends = events.filter(({ type }) => type === 'run_finished')
      const message = expect.stringMatching(/^the worker could not start it: EFBIG/)
      expect(ends).toMatchObject(Array(2).fill({ status: 'failed', kind: 'setup', message }))
      expect(worker.told.filter(({ type }) => type === 'job_left')).toHaveLength(6)
    } finally {
      longest(process.pid, 'unlimited')
    }
    await using _roomy = await workHere(url(), shared, { tags: ['large'] })
    expect((await whetstone(args)).code).toBe(0)
  })

  test('is given back by a worker whose disk is full, which takes nothing until there is room again', async () => {
    const agent = makeAgent()
    const shared = fresh()
    await using worker = await startWorker(url(), shared, { flags: ['--engines', 'command'] })
    const room = (bytes: string) => longest(worker.child.pid ?? 0, bytes)
    const told = (type: string) => worker.events.filter((event) => event.type === type)
    room('0')
    const running = benchHere(askedOf(agent, ['one'], { url: url(), shared }))
    await expect.poll(() => told('intake_stopped')).toHaveLength(1)
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
  })
})
