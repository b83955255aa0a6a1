/** The contract of whoever makes the runs: the same plan gives the same benchmark, on this machine and through each queue. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BenchRequest } from '../../../src/flows/prepare/prepare_bench.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { upToTiming } from '../../kill/agree.mjs'
import { benchHere, lives, makeAgent, mostAtOnce, queueFor, type WorkerHere, workHere } from './here.ts'
import type { QueueServer } from './server/servers.ts'

const places = 2
const check = { checks: [{ type: 'contains', value: 'TIDY' }] }
const suite = (...prompts: string[]) =>
  makeSkill(
    prompts.map((prompt, at) => ({ id: at + 1, prompt, files: ['evals/in.txt'], ...check })),
    { 'evals/in.txt': 'some input\n' },
  )

/** What is there of a benchmark, by its own files. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith('.'))
    .sort()

/** `start` null: runs are made on this machine. */
export function executorContract(start: (() => Promise<QueueServer>) | null): void {
  const at: { server?: QueueServer; worker?: WorkerHere; shared: string } = { shared: fresh() }
  beforeAll(async () => {
    if (start === null) return
    at.server = await start()
    at.worker = await workHere(at.server.url, at.shared, { concurrency: places })
  })
  afterAll(async () => {
    await at.worker?.[Symbol.asyncDispose]()
    await at.server?.[Symbol.asyncDispose]()
  })
  /** Where runs are made; nothing: here. */
  const elsewhere = (atOnce = 4): Partial<BenchRequest> =>
    at.server === undefined ? { concurrency: places } : { remote: queueFor(at.server.url, at.shared, { atOnce }) }
  const left = () => {
    const runs = path.join(at.shared, 'runs')
    return at.server === undefined ? [] : readdirSync(runs).flatMap((id) => readdirSync(path.join(runs, id)))
  }

  test('every planned run is made once and graded, no more at once than places, and nothing is left behind', async () => {
    const agent = makeAgent()
    const asked = { skill: suite('one', 'two', 'three'), engine: agent.engine, runs: 2 }
    const plain = await benchHere({ ...asked, workspace: fresh() })
    const before = agent.lines().length
    const { benchmark, folder, events } = await benchHere({ ...asked, workspace: fresh(), ...elsewhere() })
    expect(benchmark).toMatchObject({ complete: true, counts: { planned: 12, used: 12 } })
    expect(upToTiming(folder)).toBe(upToTiming(plain.folder))
    expect(filesIn(folder)).toEqual(filesIn(plain.folder))
    expect(agent.starts()).toBe(24)
    const most = mostAtOnce(agent.lines().slice(before))
    expect([1, places]).toContain(most)
    const ids = (type: string) =>
      events.flatMap((event) => (event.type === type && 'run_id' in event ? event.run_id : []))
    for (const type of ['run_started', 'run_finished', 'grade_finished']) {
      expect(new Set(ids(type)).size, type).toBe(12)
      expect(ids(type), type).toHaveLength(12)
    }
    expect(left()).toEqual([])
  })

  test('a run that fails is tried as often as asked, is a record then, and stops no other', async () => {
    const agent = makeAgent()
    const skill = suite('one', 'crash')
    const asked = { skill, engine: agent.engine, retries: 1, cases: ['1', '2'], ...elsewhere() }
    const { benchmark, events, folder } = await benchHere({ ...asked, workspace: fresh() })
    expect(benchmark.counts).toMatchObject({ planned: 4, used: 2, excluded: { 'failed:crash': 2 } })
    expect(left()).toEqual([])
    // their records came here, and count here: none is another attempt
    expect(readdirSync(folder).filter((name) => name.includes('attempts'))).toEqual([])
    expect(agent.lines().filter((line) => line.startsWith('start') && line.endsWith('crash'))).toHaveLength(4)
    const retried = events.filter(({ type }) => type === 'run_retried')
    expect(retried).toEqual(Array(2).fill(expect.objectContaining({ eval_id: 2, attempt: 1, kind: 'crash' })))
  })

  test('a run that takes too long has timed out, and its agent is gone', async () => {
    const agent = makeAgent()
    const asked = { skill: suite('wait'), engine: agent.engine, timeoutSeconds: 1, ...elsewhere() }
    const { benchmark } = await benchHere({ ...asked, workspace: fresh() })
    expect(benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(benchmark.runs.map(({ result }) => result.timed_out)).toEqual([true, true])
    expect(agent.pids().filter(lives)).toEqual([])
  })

  test('drained, it begins nothing more and what runs ends; the same again makes only the rest', async () => {
    const agent = makeAgent()
    const drain = new AbortController()
    const asked = { skill: suite('wait 1', 'wait 2', 'wait 3'), engine: agent.engine, workspace: fresh() }
    const where = elsewhere(places)
    const running = benchHere({ ...asked, ...where }, { drain: drain.signal })
    await agent.untilBegun(places)
    drain.abort()
    agent.open()
    expect((await running).benchmark).toMatchObject({ complete: false, counts: { used: places } })
    expect(agent.starts()).toBe(places)
    expect((await benchHere({ ...asked, ...where })).benchmark).toMatchObject({ complete: true, counts: { used: 6 } })
    expect(agent.starts()).toBe(6)
  })

  test('aborted, it rejects with the reason and its agents are gone; the same again makes them anew', async () => {
    const agent = makeAgent()
    const stop = new AbortController()
    const asked = { skill: suite('wait'), engine: agent.engine, workspace: fresh(), ...elsewhere() }
    const running = benchHere(asked, { signal: stop.signal })
    const ended = expect(running).rejects.toThrow('enough')
    await agent.untilBegun(2)
    stop.abort(new Error('enough'))
    await ended
    await expect.poll(() => agent.pids().filter(lives)).toEqual([])
    agent.open()
    const { benchmark } = await benchHere(asked)
    expect(benchmark).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(agent.starts()).toBe(4)
  })

  test('at the deadline what runs is ended and recorded as that, and its agents are gone', async () => {
    const agent = makeAgent()
    const limits = { budget: null, budgetTokens: null, costPerRun: null, deadline: new Date(Date.now() + 2500) }
    const asked = { skill: suite('wait'), engine: agent.engine, workspace: fresh(), limits, ...elsewhere() }
    const { benchmark, folder } = await benchHere(asked)
    expect(benchmark.complete).toBe(false)
    expect(benchmark.metadata.stopped).toMatchObject({ kind: 'deadline' })
    expect(agent.starts(), folder).toBe(2)
    expect(agent.pids().filter(lives)).toEqual([])
  })
}
