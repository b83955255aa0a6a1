/** Processes that are killed, frozen or cut off: nothing is lost, made twice or left behind, and what is under way is told. */
import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { reportUnservedRuns } from '../../../src/flows/queue/coordinator/unserved_runs.ts'
import { queueName, resolveQueueNeeds } from '../../../src/flows/queue/job_requirements.ts'
import type { LimitNote } from '../../../src/flows/queue/liveness.ts'
import { readQueueNotes } from '../../../src/flows/queue/queue_status.ts'
import { parseQueueAddress } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import type { Transport } from '../../../src/jobs/queue/transport.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { attached, openAttaching } from './attaching.ts'
import { askedOf, benchHere, lives, makeAgent, redisHere, workHere } from './here.ts'
import { startWorker } from './worker.ts'

const cases = [1, 2, 3].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))

function newestIn(workspace: string, collection: string): string {
  const folder = path.join(workspace, collection)
  return path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
}

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

  test('the coordinator is killed and comes back: what workers made meanwhile is taken, not made again', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    await using worker = await startWorker(server.url, shared, { env: { AGENT_MS: '300', AGENT_LOG: log } })
    const skill = makeSkill(cases)
    const passed = ['--pass-env', 'AGENT_MS', '--pass-env', 'AGENT_LOG']
    const flags = ['bench', skill, '--engine', agent('tidy.mjs'), '--sandbox', 'off', ...passed]
    const args = [...flags, '--workspace', workspace, '--queue', server.url, '--shared', shared]
    const first = await whetstone(args, {
      started: (child) => {
        void (async () => {
          while (worker.started() < 3) await sleep(30)
          child.kill('SIGKILL')
        })()
      },
    })
    expect(first.signal).toBe('SIGKILL')
    // as of a run that was committed when its coordinator died: nothing lies in the shared folder, but its job has ended and is there still
    await using transport = await openTransport(parseQueueAddress(server.url))
    const queue =
      (await transport.notes()).find(({ value }) => JSON.stringify(value).includes('"kind":"queue"'))?.id ?? ''
    const id = readFileSync(path.join(newestIn(workspace, 'benchmarks'), '.queue'), 'utf8')
    await transport.submit(queue, { id: 'ours', data: { benchmark: id } })
    await transport.submit(queue, { id: 'another', data: { benchmark: 'another' } })
    const never = new AbortController().signal
    for (const one of ['ours', 'another']) await transport.wait(queue, one, never)
    const second = await whetstone(args)
    expect(second.code, second.stderr).toBe(0)
    expect(readdirSync(path.join(workspace, 'benchmarks'))).toHaveLength(1)
    const starts = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('start'))
    expect(starts).toHaveLength(18)
    expect(existsSync(path.join(newestIn(workspace, 'benchmarks'), '.attempts'))).toBe(false)
    expect(await transport.ended(queue)).toEqual([{ id: 'another', data: { benchmark: 'another' } }])
  })

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

  test('a worker that is frozen and comes back: its agent is ended, its attempt is kept and told, the run is there once', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    await using frozen = await startWorker(server.url, shared, { env: { AGENT_MS: '60000', AGENT_LOG: log } })
    const one = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]
    const args = ['bench', makeSkill(one), '--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off']
    const passed = ['--pass-env', 'AGENT_MS', '--pass-env', 'AGENT_LOG', '--workspace', workspace]
    const running = whetstone([...args, ...passed, '--queue', server.url, '--shared', shared])
    const begun = () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .flatMap((line) => /^start (\d+)/.exec(line)?.[1] ?? [])
    while (begun().length < 2) await sleep(50)
    const agents = begun().map(Number)
    frozen.child.kill('SIGSTOP')
    await using _other = await startWorker(server.url, shared)
    const end = await running
    frozen.child.kill('SIGCONT')
    expect(end.code, end.stderr).toBe(0)
    await expect.poll(() => agents.filter(lives)).toEqual([])
    const folder = newestIn(workspace, 'benchmarks')
    const benchmark = JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8'))
    expect(benchmark.runs).toHaveLength(2)
    expect(benchmark.other_attempts).toMatchObject({ attempts: 2, lost: 2, usd: null })
    const kept = readdirSync(path.join(folder, '.attempts'), { recursive: true, encoding: 'utf8' })
    expect(kept.filter((name) => name.endsWith('attempt-1.json'))).toHaveLength(2)
    expect(benchmark.notes.join('\n')).toContain('2 further attempts did not count')
  })

  test('a worker that is stopped for less than its lock keeps its run, which is not timed out', async () => {
    await using server = await startRedis()
    const shared = fresh()
    const workspace = fresh()
    const log = path.join(fresh(), 'agents.log')
    writeFileSync(log, '')
    const env = { AGENT_MS: '1000', AGENT_LOG: log }
    await using worker = await startWorker(server.url, shared, { lock: '60', env })
    const one = [{ id: 1, prompt: 'task', checks: [{ type: 'file_exists', path: 'answer.txt' }] }]
    const args = ['bench', makeSkill(one), '--engine', agent('tidy.mjs'), '--runs', '1', '--sandbox', 'off']
    const passed = ['--pass-env', 'AGENT_MS', '--pass-env', 'AGENT_LOG', '--workspace', workspace, '--timeout', '4']
    const running = whetstone([...args, ...passed, '--queue', server.url, '--shared', shared])
    while (!readFileSync(log, 'utf8').includes('start')) await sleep(10)
    worker.child.kill('SIGSTOP')
    await sleep(6000)
    worker.child.kill('SIGCONT')
    const end = await running
    expect(end.code, end.stderr).toBe(0)
    const folder = newestIn(workspace, 'benchmarks')
    const files = readdirSync(folder, { recursive: true }).map(String)
    const records = files.filter((name) => path.basename(name) === 'run.json')
    const read = records.map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
    expect(read.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ])
    expect(Math.max(...read.map(({ suspended_ms = 0 }) => suspended_ms))).toBeGreaterThan(5000)
  })

  test('and are in the hands of a worker that was killed are told, until another comes', async () => {
    await using server = await startRedis()
    const agent = makeAgent()
    const shared = fresh()
    const flags = ['--tags', 'killed']
    const worker = await startWorker(server.url, shared, { flags })
    const events: FlowEvent[] = []
    const running = benchHere(askedOf(agent, ['wait'], { url: server.url, shared, tags: ['killed'] }), { events })
    await agent.untilBegun(2)
    worker.child.kill('SIGKILL')
    const told = () => events.filter(({ type }) => type.startsWith('queue_')).map(({ type }) => type)
    await expect.poll(told).toEqual(['queue_unmet'])
    agent.open()
    await using _fit = await workHere(server.url, shared, { tags: ['killed'] })
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
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

const limitNotes = async (transport: Transport) =>
  (await readQueueNotes(transport)).filter((note): note is LimitNote => note.kind === 'limit')

const skillOf = (name: string) =>
  makeSkill([1, 2, 3].map((id) => ({ id, prompt: `${name} ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] })))

needsRedis("an account's limit", () => {
  const url = redisHere()
  const timing = { everyMs: 100, staleMs: 1500 }

  test('stays that of the benchmark that goes on when another one ends; of one that was killed it holds while its note is fresh, and no longer', async () => {
    await using model = await startPractice({ scenario: parseScenario(scenario, 'limits.yaml') })
    await using transport = await openTransport(parseQueueAddress(url()))
    const folder = fresh()
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x' }
    const queue = queueName(resolveQueueNeeds({ name: 'anthropic', model: 'practice-1' }, [], env))
    const limit = async () => (await transport.counts(queue)).limit
    const flags = ['--engine', 'anthropic:practice-1', '--sandbox', 'off', '--queue', url(), '--shared', folder]
    const bench = (name: string, runs: string, started: (child: ChildProcess) => void = () => {}) =>
      whetstone(['bench', skillOf(name), '--runs', runs, ...flags, '--workspace', fresh()], { env, started })
    const first: { child?: ChildProcess } = {}
    let running: ReturnType<typeof bench>
    {
      await using _one = await startWorker(url(), folder, { env, flags: ['--concurrency', '8'] })
      await using _two = await startWorker(url(), folder, { env, flags: ['--concurrency', '8'] })
      running = bench('long', '200', (child) => {
        first.child = child
      })
      await expect.poll(limit).not.toBeNull()
      const end = await bench('short', '1')
      expect(end.code, end.stderr).toBe(0)
      const [still, ...others] = await limitNotes(transport)
      expect([await limit(), others]).toEqual([expect.any(Number), []])
      expect(still?.account).toBe(resolveQueueNeeds({ name: 'anthropic', model: null }, [], env).account)
      await expect
        .poll(async () => [await limit(), (await limitNotes(transport))[0]?.limit])
        .toSatisfy(([is, said]) => is === said)
      first.child?.kill('SIGKILL')
    }
    expect((await running).signal).toBe('SIGKILL')
    const [left] = await limitNotes(transport)
    expect([await limit(), left]).toEqual([left?.limit, expect.objectContaining({ kind: 'limit' })])
    await transport.remove(queue, await transport.open(queue))
    // one place, and nothing is refused: what holds is only what is left of the killed one
    await using _worker = await workHere(url(), folder, { engines: ['anthropic'], concurrency: 1, env })
    const asked = (more: object) => ({
      ...askedOf({ engine: 'anthropic:practice-1' }, ['one', 'two'], {
        url: url(),
        shared: folder,
        atOnce: 1,
        ...more,
      }),
      runs: 3,
    })
    const seen: (number | null)[] = []
    const looking = new AbortController()
    const looks = (async () => {
      for (; !looking.signal.aborted; await sleep(50)) seen.push(await limit())
    })()
    expect((await benchHere(asked({}), { env })).benchmark).toMatchObject({ counts: { used: 12 } })
    looking.abort()
    await looks
    expect(new Set([...seen, await limit()])).toEqual(new Set([left?.limit]))
    const later = benchHere({ ...asked({ limits: timing }) }, { env })
    await expect.poll(limit).toBeNull()
    expect(await limitNotes(transport)).toEqual([])
    expect((await later).benchmark).toMatchObject({ counts: { used: 12 } })
  })
})

needsRedis('a coordinator', () => {
  test('a server that does not answer is told once, and that it answers again', async () => {
    await using server = await startRedis()
    await using transport = await openTransport(parseQueueAddress(server.url))
    const events: FlowEvent[] = []
    const needs = resolveQueueNeeds({ name: 'command', model: null }, [], {})
    const place = { transport, queue: queueName(needs), needs }
    using _unmet = reportUnservedRuns(place, { emit: (event) => void events.push(event) }, { everyMs: 200, enough: 5 })
    await sleep(2000)
    expect(events).toEqual([])
    await server.kill()
    await expect.poll(() => events).toEqual([{ type: 'queue_silent', place: transport.place }])
    await sleep(1500)
    await server.start()
    const both = ['queue_silent', 'queue_answers']
    await expect.poll(() => events.map(({ type }) => type)).toEqual(both)
  })
})
