/** A provider's limit never fails a run and never costs a grade: refused requests wait, and waits are no working time. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { bench } from '../../../src/flows/bench/bench.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const checked = [{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }]
const judged = [{ id: 1, prompt: 'say it', expectations: ['It says TIDY.', 'It is short.'] }]

const verdicts = [1, 2].map((n) => ({ n, passed: true, evidence: 'TIDY' }))
const submits = JSON.stringify({ tool_calls: { name: 'submit', input: { verdicts } } })

const says = "{ name: says, text: 'TIDY' }"

async function serve(scenario: string) {
  return startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
}

const keys = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' })

async function benched(scenario: string, flags: string[] = ['--runs', '3'], evals: readonly object[] = checked) {
  await using server = await serve(scenario)
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill(evals), '--engine', 'anthropic:practice-1', '--workspace', workspace, '--json']
  const retries = flags.includes('--retries') ? [] : ['--retries', '0']
  const end = await whetstone([...args, ...retries, ...flags], { env: keys(server.url) })
  const events = end.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { folder } = events.find(({ type }) => type === 'plan_ready')
  const finished = events.filter(({ type }) => type === 'run_finished')
  const records = finished.map(({ run_id }): RunRecord => {
    return runRecord.parse(JSON.parse(readFileSync(path.join(folder, run_id, 'run.json'), 'utf8')))
  })
  const refused = server.requests.filter(({ status }) => status === 429).length
  return { ...end, events, records, refused, result: events.at(-1) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

describe('429', () => {
  test.each([
    ['every third', '{ status: 429, retry_after: 0, every: 3 }'],
    ['for long: many more than the retries', '{ status: 429, retry_after: 0.05, first: 30 }'],
    ['without a word of when', '{ status: 429, first: 8 }'],
  ])('%s: every run is graded, none failed or was started again', async (_, fault) => {
    const { result, events, records, refused, stderr } = await benched(`faults: [${fault}]\nrules: [${says}]`)
    expect(result, stderr).toMatchObject({ exit_code: 0, complete: true, counts: { used: 6, excluded: {} } })
    expect(events.filter(({ type }) => type === 'run_retried')).toEqual([])
    expect(refused).toBeGreaterThan(0)
    expect(sum(records.map(({ held_back }) => held_back?.refusals ?? 0))).toBe(refused)
    expect(records.every(({ attempts }) => attempts === 1)).toBe(true)
  })

  test('waits count neither as work nor against --timeout', async () => {
    const scenario = `faults: [{ status: 429, retry_after: 4, first: 1 }]\nrules: [${says}]`
    const { result, records } = await benched(scenario, ['--timeout', '3', '--concurrency', '1', '--runs', '1'])
    expect(result).toMatchObject({ exit_code: 0, counts: { used: 2, excluded: {} } })
    const [slow] = records.filter(({ held_back }) => held_back !== undefined)
    const wall = Date.parse(slow?.ended_at ?? '') - Date.parse(slow?.started_at ?? '')
    expect(slow).toMatchObject({ status: 'completed', held_back: { refusals: 1 } })
    expect(slow?.held_back?.waited_ms).toBeGreaterThan(3900)
    // a busy machine leaves out more
    expect((slow?.duration_ms ?? 0) + (slow?.held_back?.waited_ms ?? 0)).toBeLessThan(wall + 100)
  })

  test('of a judge: every expectation has its verdict', async () => {
    const scenario = `
rules:
  - { name: judge, when: { tool: submit }, fault: { status: 429, retry_after: 0.05, first: 15 }, answer: ${submits} }
  - ${says}
`
    const { result, events, refused, stderr } = await benched(scenario, ['--runs', '3'], judged)
    expect(result, stderr).toMatchObject({ exit_code: 0, complete: true, counts: { used: 6 } })
    const graded = events.filter(({ type }) => type === 'grade_finished')
    expect(graded.map((event) => [event.total, event.judge_errors])).toEqual(Array(6).fill([2, 0]))
    expect(refused).toBe(15)
  })

  test('a wait of years is told with its end, and what ends it before; --deadline does', async () => {
    const scenario = `faults: [{ status: 429, retry_after: 999999999 }]\nrules: [${says}]`
    const { result, events } = await benched(scenario, ['--deadline', '4s'])
    expect(result).toMatchObject({ exit_code: 3, counts: { used: 0 } })
    const [told] = events.filter(({ type }) => type === 'limit_changed')
    expect(told?.reason).toMatch(/pause of 277778 h, until 20\d\d-.*Z; Ctrl-C or --deadline ends the wait earlier/)
  })

  test('the limit is told of when it is cut', async () => {
    const scenario = `limits: [{ concurrent: 4 }]\nlatency: 150\nrules: [${says}]`
    const { result, events } = await benched(scenario, ['--concurrency', '8', '--runs', '20'])
    expect(result).toMatchObject({ exit_code: 0, counts: { used: 40 } })
    const cuts = events.filter(({ type }) => type === 'limit_changed')
    expect(cuts[0]).toMatchObject({ reason: 'refused (429)' })
    expect(cuts[0].limit).toBeLessThan(8)
  })
})

test('529 again and again is a failure after the retries, and no reason to go slower', async () => {
  const { result, events } = await benched(`faults: [{ status: 529 }]\nrules: [${says}]`, ['--runs', '1'])
  expect(result).toMatchObject({ exit_code: 3, counts: { used: 0, excluded: { 'failed:overloaded': 2 } } })
  expect(events.filter(({ type }) => type === 'limit_changed')).toEqual([])
})

test('a server that says nothing is left after --idle-timeout: no time-out of the agent, no silence in its time', async () => {
  const flags = ['--runs', '1', '--retries', '2', '--idle-timeout', '1', '--timeout', '20', '--concurrency', '1']
  const { result, events, records } = await benched(`faults: [{ hang: true, first: 1 }]\nrules: [${says}]`, flags)
  expect(result).toMatchObject({ exit_code: 0, counts: { used: 2, excluded: {} } })
  expect(events.filter(({ type }) => type === 'run_retried')).toMatchObject([
    { kind: 'server_error', message: 'the server sent nothing for 1 s' },
  ])
  expect(records.map(({ held_back }) => held_back?.waited_ms ?? 0).sort((a, b) => b - a)[0]).toBeGreaterThanOrEqual(
    1000,
  )
})

describe('without the limiter', () => {
  test('control: the same server refuses much more, and runs fail', async () => {
    await using server = await serve(`limits: [{ concurrent: 2 }]\nlatency: 100\nrules: [${says}]`)
    const context = {
      emit: () => {},
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...keys(server.url) },
      drain: new AbortController().signal,
      signal: new AbortController().signal,
      now: () => new Date(),
    }
    const asked = { engine: 'anthropic', model: 'practice-1', judge: null, suite: null, baseline: null, cases: [] }
    const how = { runs: 8, timeoutSeconds: 60, maxTurns: null, retries: 0, fresh: true, passEnv: [] }
    const { benchmark } = await bench(
      {
        ...{ ...asked, ...how, skill: makeSkill(checked), workspace: path.join(fresh(), 'ws') },
        ...{ concurrency: 8, activation: 'natural', onTimeout: 'fail', cache: false, pace: { rateControl: false } },
      },
      context,
    )
    expect(benchmark.counts?.excluded['failed:rate_limited']).toBeGreaterThan(0)
  })
})
