/** The same benchmark from another terminal: it shows the first one's progress and ends as that does; it takes over only where that has died. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { fresh, whetstone } from '../../e2e/program.ts'
import { needsRedis } from '../../jobs/queue/servers.ts'
import { askedOf, benchHere, makeAgent, redisHere, workHere } from './here.ts'

const idsOf = (events: readonly { type: string }[], type: string) =>
  events.flatMap((event) => (event.type === type && 'run_id' in event ? [String(event.run_id)] : [])).sort()

needsRedis('a benchmark that another terminal asks for too', () => {
  const url = redisHere()
  const benchmarks = (workspace: string) => readdirSync(path.join(workspace, 'benchmarks'))
  /** Two runs are in hand of four, or of more. */
  const begin = async (more: readonly string[] = []) => {
    const agent = makeAgent()
    const shared = fresh()
    const worker = await workHere(url(), shared)
    return { agent, shared, worker, asked: askedOf(agent, ['wait 1', 'wait 2', ...more], { url: url(), shared }) }
  }
  /** The same again, as soon as it says that it is attached. */
  const attached = async (asked: Parameters<typeof benchHere>[0], drain = new AbortController()) => {
    const events: FlowEvent[] = []
    const running = benchHere(asked, { events, drain: drain.signal })
    running.catch(() => {}) // looked at by the test
    const choices = () => events.flatMap((event) => (event.type === 'plan_ready' ? event.choices : []))
    await expect.poll(choices, { timeout: 10_000 }).toContainEqual(expect.stringContaining('attached to process'))
    return { running, drain, events }
  }

  test('shows the same there and ends with the same, whole or not; nothing is made twice', async () => {
    const { agent, worker, asked } = await begin(['crash'])
    await using _worker = worker
    const running = benchHere(asked)
    await agent.untilBegun(2)
    const second = await attached(asked)
    agent.open()
    const [one, two] = await Promise.all([running, second.running])
    expect(two.benchmark).toEqual(one.benchmark)
    expect(two.benchmark).toMatchObject({ complete: false, counts: { used: 4, excluded: { 'failed:crash': 2 } } })
    expect([two.folder, two.paths, two.page]).toEqual([one.folder, one.paths, one.page])
    expect([...two.folders]).toEqual([...one.folders])
    for (const type of ['run_finished', 'grade_finished']) {
      expect(idsOf(two.events, type), type).toEqual(idsOf(one.events, type))
      expect(idsOf(two.events, type).length, type).toBeGreaterThanOrEqual(4)
    }
    expect(agent.starts()).toBe(6)
    expect(benchmarks(asked.workspace)).toHaveLength(1)
  }, 60_000)

  test('Ctrl-C there leaves the first one alone', async () => {
    const { agent, worker, asked } = await begin()
    await using _worker = worker
    const running = benchHere(asked)
    await agent.untilBegun(2)
    const second = await attached(asked)
    second.drain.abort(new Error('Ctrl-C'))
    await expect(second.running).rejects.toThrow('Ctrl-C')
    agent.open()
    expect((await running).benchmark).toMatchObject({ complete: true, counts: { used: 4 } })
    expect(agent.starts()).toBe(4)
  }, 60_000)

  test('where the first one dies, one of those that are attached goes on, and the other stays attached to that', async () => {
    const { agent, worker, asked, shared } = await begin()
    await using _worker = worker
    const flags = ['--engine', agent.engine, '--runs', '1', '--concurrency', '2', '--retries', '0', '--timeout', '60']
    const queue = [
      '--queue',
      url(),
      '--shared',
      shared,
      '--sandbox',
      'off',
      '--no-cache',
      '--workspace',
      asked.workspace,
    ]
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
    expect(benchmarks(asked.workspace)).toHaveLength(1)
  }, 60_000)
})
