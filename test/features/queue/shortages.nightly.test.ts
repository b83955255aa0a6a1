/** A job is given up for the shortages it met, not for how often it was given back; a coordinator does not wait for ever. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queueName, resolveQueueNeeds } from '../../../src/features/queue/job_requirements.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from './here.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { needsRedis, type QueueServer, startRedis } from './server/servers.ts'

/** No file that a process writes gets longer. */
function longest(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
}

needsRedis('a job', () => {
  const url = redisHere()
  const queueOf = (tag: string) => queueName(resolveQueueNeeds({ name: 'command', model: null }, [tag], {}))

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
})

needsRedis('a bench whose runs go into a queue', () => {
  const at: { server?: QueueServer } = {}
  beforeAll(async () => {
    at.server = await startRedis()
  })
  afterAll(() => at.server?.[Symbol.asyncDispose]())
  const url = () => at.server?.url ?? ''

  function benchOf(prompt: string, engine: string) {
    const skill = makeSkill([{ id: 1, prompt, checks: [{ type: 'contains', value: 'TIDY' }] }])
    const [shared, workspace] = [fresh(), fresh()]
    const flags = ['--queue', url(), '--shared', shared, '--sandbox', 'off', '--runs', '1', '--json']
    const args = ['bench', skill, '--engine', engine, '--workspace', workspace, '--max-wait', '2s', ...flags]
    const stopped = () => {
      const [folder = ''] = readdirSync(path.join(workspace, 'benchmarks'))
      return JSON.parse(readFileSync(path.join(workspace, 'benchmarks', folder, 'benchmark.json'), 'utf8')).metadata
        .stopped
    }
    return { shared, args, stopped }
  }

  test('without a worker ends with 3; continue with the same command when there is one', async () => {
    const agent = makeAgent()
    const { shared, args, stopped } = benchOf('one', agent.engine)
    const end = await whetstone(args)
    expect([end.code, end.stdout]).toEqual([3, expect.stringContaining('"type":"queue_unmet"')])
    expect(stopped()).toMatchObject({ kind: 'max_wait', reason: expect.stringContaining('no worker takes these runs') })
    await using _worker = await workHere(url(), shared)
    expect(await whetstone(args)).toMatchObject({ code: 0 })
  })

  test('whose server goes away for good ends with 3', async () => {
    const agent = makeAgent()
    const { shared, args, stopped } = benchOf('wait', agent.engine)
    await using _worker = await workHere(url(), shared)
    const running = whetstone(args)
    await agent.untilBegun(1)
    await at.server?.kill()
    const end = await running
    expect([end.code, end.stdout]).toEqual([3, expect.stringContaining('"type":"queue_silent"')])
    expect(stopped()).toMatchObject({ kind: 'max_wait', reason: expect.stringContaining('does not answer') })
    agent.open()
    await at.server?.start()
  })
})
