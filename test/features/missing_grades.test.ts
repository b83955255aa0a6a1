/** Planned runs without a grade: where they could decide, there is no verdict, and no gate passes, in any report. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../schemas/benchmark.ts'
import { benchExitCode } from '../../src/cli/commands/bench/print.ts'
import { exitCodes } from '../../src/cli/exit_codes.ts'
import { buildTrend } from '../../src/features/diff/trend/build_trend.ts'
import { worstVerdict } from '../../src/features/github/comment_text.ts'
import { buildIndexRow } from '../../src/features/many_skills/index_row.ts'
import { summarizeBenchmarkResult } from '../../src/features/mcp/results.ts'
import { aggregate } from '../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../src/phases/4-report/benchmark/aggregate_input.ts'
import { diffBenchmarks } from '../../src/phases/4-report/diff/diff.ts'
import { diffHeadline } from '../../src/phases/4-report/diff/diff_text.ts'
import { judgeGate } from '../../src/phases/4-report/gate/check_gates.ts'
import { parseGate } from '../../src/phases/4-report/gate/parse_gate.ts'
import { toGithub } from '../../src/phases/4-report/text/github.ts'
import { benchmarkHeadline, confidenceNotes } from '../../src/phases/4-report/text/headline.ts'
import { toJunit } from '../../src/phases/4-report/text/junit_report.ts'
import { toMarkdown } from '../../src/phases/4-report/text/markdown.ts'
import { arm, inputOf, type Line } from '../phases/4-report/fixture.ts'
import { toHtml } from '../phases/4-report/page_html.ts'
import { pageIn } from '../viewer/unpack.ts'

const times = (verdict: string | null, count: number) => Array.from({ length: count }, () => verdict)

/** 4 cases; with the skill all graded runs pass, without it all fail. The missing runs are the last ones of the last case. */
function lines(runs: number, own: number, other: number, more: Partial<Line> = {}): Line[] {
  return [1, 2, 3, 4].flatMap((id) =>
    (['with_skill', 'without_skill'] as const).flatMap((name) => {
      const gone = id === 4 ? (name === 'with_skill' ? own : other) : 0
      const graded = arm(id, name, times(name === 'with_skill' ? '+' : '-', runs - gone))
      const missing = times(null, gone).map(
        (verdicts, at): Line => ({ evalId: id, arm: name, run: runs - gone + at + 1, verdicts, ...more }),
      )
      return [...graded, ...missing]
    }),
  )
}

const made = (some: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(some, changes))
const exitCode = (benchmark: Benchmark) => {
  const paths = { benchmark: 'b.json', markdown: 'b.md', report: 'report.html' }
  return benchExitCode(
    { folder: 'f', benchmark, paths, page: true, folders: new Map(), prompts: { cases: [] } },
    ['pass_rate >= 0', 'suspicious == 0', 'verdict == helps'].map((text) => judgeGate(parseGate(text), benchmark)),
  )
}

const failed = { record: { status: 'failed', error: { kind: 'crash', message: 'm' } } }
const late = { record: { status: 'timed_out' } }

describe('the rule: the numbers differ, or exceed 5% of one configuration', () => {
  test.each([
    // runs per case, missing with the skill, missing without, verdict
    [6, 0, 0, 'helps'],
    [6, 1, 0, 'incomplete'],
    [6, 0, 1, 'incomplete'],
    [6, 1, 1, 'helps'], // 4.2% of 24
    [6, 2, 2, 'incomplete'], // 8.3% of 24
    [5, 1, 1, 'helps'], // 5% of 20
    [4, 1, 1, 'incomplete'], // 6.3% of 16
  ])('%i runs per case, %i and %i missing: %s', (runs, own, other, verdict) => {
    const benchmark = made(lines(runs, own, other))
    const { these_cases, cases_like_these } = benchmark.statistics?.scopes ?? {}
    expect(these_cases?.verdict).toBe(verdict)
    expect(cases_like_these?.verdict === 'incomplete').toBe(verdict === 'incomplete')
    expect(benchmarkHeadline(benchmark)).toMatch(verdict === 'helps' ? /^Helps: / : /^Incomplete: /)
    expect(judgeGate(parseGate('pass_rate >= 0'), benchmark).passed).toBe(verdict === 'helps')
    expect(exitCode(benchmark)).toBe(own + other === 0 ? exitCodes.done : exitCodes.incomplete)
  })
  test.each<[string, Partial<Line>, Partial<AggregateInput>, boolean]>([
    ['failed', failed, {}, true],
    ['cancelled', { record: { status: 'cancelled' } }, {}, true],
    ['never made', { record: 'none' }, {}, true],
    ['judged in no part', { verdicts: '?' }, {}, true],
    ['timed out and excluded', late, { onTimeout: 'exclude' }, true],
    ['timed out and graded', { ...late, verdicts: '-' }, {}, false],
  ])('a run that is %s counts: %j %j', (_, more, changes, isMissing) => {
    const benchmark = made(lines(6, 1, 0, more), changes)
    expect(benchmark.statistics?.missing_grades !== undefined).toBe(isMissing)
    expect(exitCode(benchmark)).toBe(isMissing ? exitCodes.incomplete : exitCodes.done)
  })
  test('runs of a quarantined case, and of one without criteria, do not count', () => {
    const cases = [1, 2, 3, 4, 5].map((id) => ({
      ...{ eval_id: id, eval_key: null, eval_name: `case-${id}`, cannot_run: null },
      ...(id === 4 && { quarantine: 'flaky' }),
      expectations: id === 5 ? [] : ['some'],
      checks: [],
    }))
    const some = [...lines(6, 3, 0, failed), ...arm(5, 'with_skill', [null])]
    const benchmark = made(some, { cases })
    expect(benchmark.statistics?.scopes?.these_cases.verdict).toBe('helps')
  })
})

describe('the bounds', () => {
  test('of a difference: all missing runs as fail, all as pass, against the other configuration', () => {
    // case 4: 3 of 6 with the skill (0.5 to 1), 6 without of which 1 is missing (0 to 1/6); the others: 1 − 0
    const { low, high, by_configuration } = made(lines(6, 3, 1)).statistics?.missing_grades ?? {}
    expect(by_configuration).toEqual({
      with_skill: { planned: 24, missing: 3 },
      without_skill: { planned: 24, missing: 1 },
    })
    expect(low).toBeCloseTo((3 + 0.5 - 1 / 6) / 4, 6)
    expect(high).toBeCloseTo((3 + 1 - 0) / 4, 6)
    expect(benchmarkHeadline(made(lines(6, 3, 1)))).toBe(
      'Incomplete: 3 of 24 runs with the skill and 1 of 24 without have no grade. The difference is between +83 and +100 points, depending on them.',
    )
  })
  test('a case without any grade in one configuration counts too', () => {
    expect(benchmarkHeadline(made(lines(6, 0, 6, failed)))).toBe(
      'Incomplete: 0 of 24 runs with the skill and 6 of 24 without have no grade. The difference is between +75 and +100 points, depending on them.',
    )
  })
  test('of one configuration: its pass rate', () => {
    const some = [...arm(1, 'with_skill', ['+', '+']), ...arm(2, 'with_skill', ['-', null])]
    const benchmark = made(some, { baseline: null })
    expect(benchmarkHeadline(benchmark)).toBe(
      'Incomplete: 1 of 4 runs has no grade. The pass rate is between 50% and 75%, depending on it.',
    )
    expect(judgeGate(parseGate('pass_rate >= 0'), benchmark).passed).toBe(false)
  })
  test('whatever the missing runs would have been, the difference is within them, and both ends are possible', () => {
    const end = fc.record({ mark: fc.constantFrom('+', '-', '+-'), isMissing: fc.boolean() })
    const cell = fc.array(end, { minLength: 1, maxLength: 4 })
    const suite = fc.array(fc.record({ with_skill: cell, without_skill: cell }), { minLength: 1, maxLength: 4 })
    const names = ['with_skill', 'without_skill'] as const
    type Drawn = { mark: string; isMissing: boolean }
    const build = (
      some: readonly Record<(typeof names)[number], Drawn[]>[],
      mark: (one: Drawn, name: string) => string | null,
    ) => {
      const ends = (one: (typeof some)[number], name: (typeof names)[number]) =>
        one[name].map((each) => mark(each, name))
      return made(some.flatMap((one, at) => names.flatMap((name) => arm(at + 1, name, ends(one, name)))))
    }
    const meanOf = (benchmark: Benchmark) => benchmark.statistics?.scopes?.these_cases.difference.mean ?? Number.NaN
    fc.assert(
      fc.property(suite, (some) => {
        const found = build(some, ({ mark, isMissing }) => (isMissing ? null : mark)).statistics?.missing_grades
        if (found === undefined) return
        const fill = (own: string, other: string) =>
          meanOf(build(some, ({ mark, isMissing }, name) => (isMissing ? (name === 'with_skill' ? own : other) : mark)))
        const truth = meanOf(build(some, ({ mark }) => mark))
        expect(truth).toBeGreaterThanOrEqual(found.low - 1e-5)
        expect(truth).toBeLessThanOrEqual(found.high + 1e-5)
        expect(fill('-', '+')).toBeCloseTo(found.low, 4)
        expect(fill('+', '-')).toBeCloseTo(found.high, 4)
      }),
    )
  })
})

describe('everything that shows a verdict agrees', () => {
  const [open, whole] = [made(lines(6, 1, 0, failed)), made(lines(6, 0, 0))]
  const start =
    'Incomplete: 1 of 24 runs with the skill and 0 of 24 without has no grade. The difference is between +96 and +100 points, depending on it.'
  const verdictWord = /\b(helps|hurts|too easy|too hard|no difference|inconclusive)\b/i
  const reported = (benchmark: Benchmark) => [
    { name: 'x', benchmark, gates: [judgeGate(parseGate('verdict == helps'), benchmark)] },
  ]
  const side = (benchmark: Benchmark) => ({ name: 'x', benchmark, plan: null })
  const skills = (benchmark: Benchmark) => [{ name: 'x', benchmark, error: null, gates: [] }]
  test.each<[string, (benchmark: Benchmark) => string]>([
    ['headline', (one) => [benchmarkHeadline(one), ...confidenceNotes(one)].join(' ')],
    ['benchmark.md', (one) => toMarkdown(one).replaceAll('\\', '')],
    ['page', (one) => JSON.stringify(pageIn(toHtml(one)).said)],
    ['JUnit', (one) => toJunit(reported(one).map((each) => ({ ...each, gates: [] })))],
    ['GitHub', (one) => toGithub(reported(one).map((each) => ({ ...each, gates: [] }))).join('\n')],
    ['MCP', (one) => JSON.stringify(summarizeBenchmarkResult(one, '/x', '/'))],
    ['index', (one) => JSON.stringify(buildIndexRow({ skill: 'x', cell: null }, one, 'x'))],
  ])('%s', (_, show) => {
    expect(show(open)).toContain(start)
    expect(show(open).replaceAll('missing_grades', '')).not.toMatch(verdictWord)
    expect(show(whole)).toMatch(/\bhelps\b/i) // the control: the same runs, all graded
  })
  test('index row, trend, comment, diff and price have no result of it', () => {
    expect(buildIndexRow({ skill: 'x', cell: null }, open, 'x')).toMatchObject({
      status: 'incomplete',
      lift: null,
      delta: null,
    })
    const point = (benchmark: Benchmark) =>
      buildTrend([{ folder: 'f', at: new Date(0), benchmark, plan: null, cost: null } as never], [], []).points[0]
    expect([point(open)?.lift, point(open)?.complete]).toEqual([null, false])
    expect(point(whole)?.lift?.verdict).toBe('helps')
    expect(worstVerdict({ status: 'benched', skills: skills(open) })).toBe('incomplete')
    expect(worstVerdict({ status: 'benched', skills: skills(whole) })).toBe('helps')
    expect(diffHeadline(diffBenchmarks(side(whole), side(open), 'candidate'))).toMatch(
      /^Incomplete: 1 of 24 runs after and 0 of 24 before has no grade\./,
    )
    expect(diffHeadline(diffBenchmarks(side(whole), side(whole), 'candidate'))).not.toMatch(/^Incomplete/)
    expect(open.statistics?.price?.tests).toEqual([])
  })
  test.each(['verdict != hurts', 'suspicious == 0', 'cost.unknown_runs == 0', 'worth', 'counts.used > 0'])(
    'the gate %s fails, and says why',
    (text) => {
      const { passed, message } = judgeGate(parseGate(text), open)
      expect([passed, message]).toEqual([
        false,
        expect.stringMatching(/incomplete: runs without a grade, or repeated ones, could decide/),
      ])
      if (text !== 'worth') expect(judgeGate(parseGate(text), whole).passed).toBe(true)
    },
  )
})

describe('runs that were repeated because the agent had ended without an answer', () => {
  const again = { record: { agent_crashes: 1 } }
  const some = (own: number, other: number) =>
    lines(6, 0, 0).map((line) => {
      const most = line.arm === 'with_skill' ? own : other
      return line.evalId === 4 && line.run <= most ? { ...line, ...again } : line
    })
  test.each([
    // repeated with the skill, without it, verdict
    [1, 0, 'helps'],
    [0, 1, 'helps'],
    [2, 0, 'incomplete'],
    [0, 2, 'incomplete'],
    [1, 1, 'helps'],
  ])('%i and %i of 24: %s', (own, other, verdict) => {
    const benchmark = made(some(own, other))
    expect(benchmark.statistics?.scopes?.these_cases.verdict).toBe(verdict)
    expect(judgeGate(parseGate('pass_rate >= 0'), benchmark).passed).toBe(verdict === 'helps')
  })
  test('one of a small benchmark may be chance', () => {
    const small = lines(3, 0, 0).map((line, at) => (at === 0 ? { ...line, ...again } : line))
    expect(made(small).statistics?.missing_grades).toBeUndefined()
  })
  test('the bounds count them as failed and as passed, the rates as they were graded', () => {
    const benchmark = made(some(3, 0))
    expect(benchmark.statistics?.missing_grades).toMatchObject({ low: 0.875, high: 1 })
    expect(benchmark.run_summary.with_skill?.pass_rate.mean).toBe(1)
    expect(benchmarkHeadline(benchmark)).toBe(
      'Incomplete: 3 of 24 runs with the skill and 0 of 24 without were repeated because the agent had ended without an answer. The difference is between +88 and +100 points, depending on them.',
    )
  })
})
