/** "To continue: …" names a command that changes the result, for every reason why a benchmark is incomplete, or nothing. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Benchmark, type ExcludedRun, excludedRun } from '../../schemas/benchmark.ts'
import { type StopKind, stopKind } from '../../schemas/limits.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import { continueLines, findResumeCommand } from '../../src/cli/resume_command.ts'
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import { removeRunParts } from '../../src/store/artefacts/removed_parts.ts'
import { isRunDone } from '../../src/store/run_folders.ts'
import { bench, newestIn, withModel } from '../e2e/bench/benched.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { record } from '../fixtures/record.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { runMain } from './run_main.ts'

const judge =
  "{ name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: '\"TIDY\"' }] } }] }"
const healthy = `rules: [${judge}, { name: says, text: TIDY }]`
const faulty = (fault: string) => `faults: [{ ${fault} }]\n${healthy}`
const flags = ['--runs', '2', '--concurrency', '1', '--retries', '0']

/** What each comes from; null: the same bench does nothing about it, so no command may be named. */
const broken: Record<ExcludedRun['reason'], string | null> = {
  failed: faulty('status: 529'),
  missing: faulty('status: 401, after: 1'),
  // at a moment, which a test can't choose; see the status below
  cancelled: '',
  judge_error: 'rules: [{ name: says, text: TIDY }]',
  timed_out: null,
  ungraded: null,
  cannot_run: null,
  quarantined: null,
}

const runStatus = [
  ['failed', true],
  ['cancelled', true],
  ['timed_out', false],
  ['completed', false],
] as const

const listed = excludedRun.shape.reason.options.map((reason) => ({ reason, how: broken[reason] }))

describe('the command that is named, once the cause is gone, makes the benchmark complete', () => {
  test.each(listed.filter(({ how }) => how))('$reason', async ({ reason, how }) => {
    const skill = makeSkill([{ id: 1, prompt: 'say it', expectations: ['It is tidy.'] }])
    const asked = { skill, workspace: path.join(fresh(), 'ws') }
    const run = (env: Record<string, string>) => bench({ ...asked, env }, ...flags)
    const first = await withModel(how ?? '', run)
    const before = newestIn(asked.workspace).result
    expect([first.code, before.complete]).toEqual([3, false])
    expect(before.excluded_runs?.map((one) => one.reason)).toContain(reason)
    const [, named = ''] = /^To continue: whetstone (.*)$/m.exec(first.stdout) ?? []
    const end = await withModel(healthy, (env) => runMain(named.split(' '), { env }))
    expect([end.code, end.stdout]).toEqual([0, expect.not.stringMatching(/To continue|INCOMPLETE/)])
    const after = newestIn(asked.workspace)
    expect([after.benchmarks, after.result.complete, after.result.counts?.used]).toEqual([1, true, 4])
  })
})

test.each(runStatus)('a stored run that is %s is made again: %s', (status, isAgain) => {
  const stored = {
    record: record({ status, key: 'k', ...(status === 'failed' && { error: { kind: 'crash', message: 'm' } }) }),
    grading: null,
    timing: null,
    metrics: null,
  }
  expect(isRunDone(stored, { key: 'k' } as RunSpec)).toBe(!isAgain)
})

test.each([true, false])('a run without a grade is made again if its transcript was removed: %s', async (isRemoved) => {
  const skill = makeSkill([{ id: 1, prompt: 'say it', expectations: ['It is tidy.'] }])
  const asked = { skill, workspace: path.join(fresh(), 'ws') }
  await withModel(broken.judge_error ?? '', (env) => bench({ ...asked, env }, ...flags))
  const { folder, made } = newestIn(asked.workspace)
  for (const file of isRemoved ? made : [])
    await removeRunParts(path.join(folder, path.dirname(file)), 'clean', new Date(0))
  await withModel(healthy, async (env, server) => {
    const end = await bench({ ...asked, env }, ...flags)
    expect(end.code, end.stderr).toBe(0)
    expect(server.requests.filter(({ rule }) => rule === 'says')).toHaveLength(isRemoved ? made.length : 0)
  })
})

const bare = (changes: Partial<Benchmark>): Benchmark => ({
  ...aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])])),
  complete: false,
  ...changes,
})
const left = (reason: ExcludedRun['reason']): ExcludedRun[] => [
  { eval_id: 1, eval_name: 'x', configuration: 'with_skill', run_number: 2, reason, kind: null, message: 'm' },
]
const argv = ['bench', 'skills/pdf']
const named = (benchmark: Benchmark, how: object = {}, words = argv) =>
  findResumeCommand([benchmark], { interrupted: false, makesMissing: true, ...how }, words)

test.each(listed)('$reason: a command is named only if it changes something', ({ reason, how }) => {
  const isNamed = named(bare({ excluded_runs: left(reason) })) !== null
  expect(isNamed).toBe(how !== null)
})

describe('after a stop', () => {
  const goesOn: Record<StopKind, boolean> = {
    deadline: true,
    max_wait: true,
    budget: false,
    budget_tokens: false,
    unreported_cost: false,
  }
  const stopped = (kind: StopKind): Benchmark => {
    const made = bare({ excluded_runs: left('missing') })
    const stop = { kind, spent: 1, limit: 1, deadline: null, runs_done: 1, runs_planned: 2, reason: 'r' }
    return { ...made, metadata: { ...made.metadata, stopped: stop } }
  }
  test.each(stopKind.options)('%s', (kind) => expect(named(stopped(kind)) !== null).toBe(goesOn[kind]))
  test('by a deadline that is a date and time: it has passed', () => {
    expect(named(stopped('deadline'), { hasFixedDeadline: true })).toBeNull()
    expect(named(stopped('max_wait'), { hasFixedDeadline: true })).not.toBeNull()
  })
  test('by a budget: the terminal names one that is enough for the missing run, and what it costs', () => {
    const one = stopped('budget')
    const paid = { result: { ...one.runs[0]?.result, cost_usd: 0.4 } } as Benchmark['runs'][number]
    const cost = { agent_usd: 0.4, judge_usd: 0.2, unknown_runs: 0 }
    const lines = (benchmark: object, words: string[]) =>
      continueLines([{ ...one, runs: [paid], cost, ...benchmark }], { interrupted: false, makesMissing: true }, words)
    const expected = [
      'To continue: whetstone bench skills/pdf --budget 1.75',
      '  to perform and grade 1 run: about $0.60',
    ]
    expect(lines({}, [...argv, '--budget', '1'])).toEqual(expected)
    expect(lines({}, [...argv, '--budget=1'])).toEqual(expected)
    expect(lines({ runs: [] }, argv)).toEqual([])
    // no reported cost: what --cost-per-run counted
    expect(lines({ runs: one.runs.slice(0, 1), cost: undefined }, argv)).toEqual([
      'To continue: whetstone bench skills/pdf --budget 2.25',
      '  to perform and grade 1 run: about $1.00',
    ])
  })
  test('gradings alone cost what the judge costs, and several benchmarks are summed up', () => {
    const [first] = stopped('max_wait').runs
    const runs = first === undefined ? [] : [first]
    const open = bare({
      excluded_runs: left('judge_error'),
      runs,
      cost: { agent_usd: null, judge_usd: 0.2, unknown_runs: 1 },
    })
    const lines = continueLines([open, open], { interrupted: false, makesMissing: true }, argv)
    expect(lines[1]).toBe('  to grade 2 runs again: about $0.40')
  })
  test('no command that executes no runs is named', () => {
    expect(findResumeCommand([stopped('max_wait')], { interrupted: false }, ['aggregate', 'x'])).toBeNull()
  })
})

test('it resumes: --fresh is left out, and the cases that --last-failed chose are named', () => {
  const benchmark = bare({ excluded_runs: left('failed') })
  const words = [...argv, '--fresh', '--last-failed']
  expect(named(benchmark, { lastFailed: ['3', '5'] }, words)).toBe('whetstone bench skills/pdf --case=3 --case=5')
  expect(named(benchmark, {}, ['bench', 'skills/pdf', '--fresh'])).toBe('whetstone bench skills/pdf')
})

test('statements that are undecided in every graded run are judged again', () => {
  const run = bare({}).runs[0]
  const runs = run === undefined ? [] : [{ ...run, result: { ...run.result, undecided: 1 } }]
  expect(named(bare({ runs, excluded_runs: [] }))).not.toBeNull()
  expect(named(bare({ excluded_runs: [] }))).toBeNull()
})
