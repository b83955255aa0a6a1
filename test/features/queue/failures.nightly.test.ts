/** Processes that are killed or cut off: nothing is lost, made twice or left behind. */
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { queueName, resolveQueueNeeds } from '../../../src/features/queue/job_requirements.ts'
import { openTransport } from '../../../src/features/queue/server/open.ts'
import { fresh, whetstone } from '../../e2e/program.ts'
import { attached, openAttaching } from './attaching.ts'
import { askedOf, benchHere, makeAgent, redisHere } from './here.ts'
import { parseQueueAddress } from './server/queue_address.ts'
import { needsRedis, startRedis } from './server/servers.ts'
import { startWorker } from './worker.ts'

/** An agent that takes so many seconds for a prompt with `long` where it has no skill; gives its engine and a log of its starts. */
function longAgent(seconds: number): { engine: string } {
  const file = path.join(fresh(), 'long.sh')
  writeFileSync(
    file,
    `task=$(cat)
[ -e .claude/skills/tidy/SKILL.md ] && { echo TIDY; exit; }
case "$task" in *long*) sleep ${seconds};; esac
echo messy
`,
  )
  return { engine: `command:sh ${file}` }
}

const ends = (events: readonly FlowEvent[]) =>
  events
    .flatMap((event) => (event.type === 'run_finished' ? [event] : []))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1))

function isPoison(runId: string): boolean {
  return /eval-1.*without_skill/.test(runId)
}

needsRedis('a coordinator that is killed', () => {
  const url = redisHere()

  test('where the first one dies, one of those that are attached goes on, and the other stays attached to that', async () => {
    const { agent, worker, asked, shared } = await openAttaching(url())
    await using _worker = worker
    const flags = ['--engine', agent.engine, '--runs', '1', '--concurrency', '2', '--retries', '0', '--timeout', '60']
    const place = ['--sandbox', 'off', '--no-cache', '--workspace', asked.workspace]
    const queue = ['--queue', url(), '--shared', shared, ...place]
    const followers: Awaited<ReturnType<typeof attached>>[] = []
    const first = await whetstone(['bench', asked.skill, ...flags, ...queue], {
      started: async (child) => {
        await agent.untilBegun(2)
        for (let n = 0; n < 2; n += 1) followers.push(await attached(asked))
        child.kill('SIGKILL')
      },
    })
    expect(first.signal, first.stderr).toBe('SIGKILL')
    agent.open()
    const ends = await Promise.all(followers.map(({ running }) => running))
    expect(ends.map(({ benchmark }) => benchmark)).toEqual(Array(2).fill(ends[0]?.benchmark))
    expect(ends[0]?.benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    const makers = ends.filter(({ events }) => events.some(({ type }) => type === 'run_started'))
    expect(makers).toHaveLength(1)
    expect(agent.starts()).toBe(4)
    expect(readdirSync(path.join(asked.workspace, 'benchmarks'))).toHaveLength(1)
  })
})

needsRedis('workers', () => {
  test('a job that ends each worker which takes it is a failed record; all other runs are made and graded', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const over = new AbortController()
    let killed = 0
    /** One after another, each killed as it begins that run. */
    const mortals = async () => {
      while (!over.signal.aborted) {
        await using worker = await startWorker(server.url, shared, { flags: ['--concurrency', '1'], lock: '1' })
        const isMet = () => worker.events.some(({ type, run_id }) => type === 'job_started' && isPoison(`${run_id}`))
        while (!over.signal.aborted && !isMet()) await sleep(10)
        if (!isMet()) continue
        killed += 1
        await sleep(200) // its attempt has begun
      }
    }
    const asked = askedOf(longAgent(20), ['long', 'two', 'three'], { url: server.url, shared })
    const workers = [mortals(), mortals()]
    const { benchmark, events } = await benchHere(asked).finally(() => over.abort())
    await Promise.all(workers)
    const [poisoned, ...others] = ends(events).sort((a) => (isPoison(a.run_id) ? -1 : 1))
    expect(poisoned).toMatchObject({
      ...{ status: 'failed', kind: 'crash' },
      message: expect.stringMatching(/no worker finished it: each worker that took it was lost, more often/),
    })
    expect(others.map(({ status }) => status)).toEqual(Array(5).fill('completed'))
    expect(benchmark).toMatchObject({
      complete: false,
      counts: { planned: 6, used: 5, excluded: { 'failed:crash': 1 } },
    })
    expect(new Set(events.flatMap((one) => (one.type === 'grade_finished' ? one.run_id : []))).size).toBe(5)
    expect([5, 6]).toContain(killed) // six, unless a busy machine lost a lock by itself
    expect(benchmark.other_attempts?.lost).toBeGreaterThanOrEqual(killed)
  })

  test('told to stop once, a worker ends what it has in hand, however long that takes, and takes nothing more', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const agent = makeAgent()
    const flags = ['--concurrency', '1']
    await using first = await startWorker(server.url, shared, { flags, lock: '30' })
    const events: FlowEvent[] = []
    const running = benchHere(askedOf(agent, ['wait'], { url: server.url, shared }), { events })
    await agent.untilBegun(1)
    first.child.kill('SIGTERM')
    await sleep(10_000) // more than a command gives its agents to end, or a coordinator a job that it asks for the end of
    expect([first.child.exitCode, ends(events)]).toEqual([null, []])
    agent.open()
    await expect.poll(() => first.child.exitCode).toBe(0)
    expect([first.started(), first.ended()]).toEqual([1, 1])
    expect(first.said()).toContain('stopped: 1 runs done, 0 left')
    await expect.poll(() => ends(events).map(({ status }) => status)).toEqual(['completed'])
    await using second = await startWorker(server.url, shared, { flags })
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect([agent.starts(), second.started()]).toEqual([2, 1])
  })

  test.each<[string, number, number[]]>([
    ['once', 1, [0]],
    ['and once more', 2, [0, 130]],
  ])(
    'told to stop while the queue server is away, a worker with nothing in hand ends (%s)',
    async (_how, times, codes) => {
      await using server = await startRedis()
      const shared = fresh()
      await using worker = await startWorker(server.url, shared)
      const { benchmark } = await benchHere(askedOf(makeAgent(), ['one'], { url: server.url, shared })) // it holds a queue
      expect(benchmark.complete).toBe(true)
      await server.kill()
      await expect.poll(() => worker.said()).toContain('the queue server does not answer')
      for (let time = 0; time < times; time += 1) {
        worker.child.kill('SIGTERM')
        await sleep(500)
      }
      await expect.poll(() => worker.child.exitCode).not.toBeNull()
      expect(codes).toContain(worker.child.exitCode)
      expect(worker.said()).toContain('stopped: 2 runs done, 0 left')
    },
  )
})

const scenario = `
latency: 300
limits: [{ from_s: 0, concurrent: 3 }]
rules:
  - { name: with, when: { system: 'SKILL\\.md' }, text: 'TIDY' }
  - { name: without, text: 'messy' }
`

needsRedis("an account's limit", () => {
  test('that a benchmark has found holds on its queue until the benchmark has ended', async () => {
    await using server = await startRedis()
    await using model = await startPractice({ scenario: parseScenario(scenario, 'limits.yaml') })
    await using transport = await openTransport(parseQueueAddress(server.url))
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x' }
    const shared = fresh()
    await using _worker = await startWorker(server.url, shared, { env, flags: ['--concurrency', '8'] })
    const asked = askedOf({ engine: 'anthropic:practice-1' }, ['one', 'two'], { url: server.url, shared, atOnce: 8 })
    const running = benchHere({ ...asked, runs: 20 }, { env })
    const queue = queueName(resolveQueueNeeds({ name: 'anthropic', model: 'practice-1' }, [], env))
    const limit = async () => (await transport.counts(queue)).limit
    await expect.poll(limit).not.toBeNull()
    expect((await running).benchmark).toMatchObject({ complete: true })
    await expect.poll(limit).toBeNull()
  })
})
