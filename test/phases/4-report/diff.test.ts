/** diff: what got better, worse or turned between two benchmarks, and what chance may have done. */
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { benchmarkDiff } from '../../../schemas/benchmark_diff.ts'
import { diffBenchmarks, type Side } from '../../../src/phases/4-report/diff.ts'
import { diffHeadline, diffMarkdown, diffSections } from '../../../src/phases/4-report/diff_text.ts'

type Rates = Record<string, readonly number[]>

/** A benchmark in which each run of a case with the skill met its one expectation (1) or not (0). */
function side(name: string, cases: Rates, changes: Record<string, unknown> = {}): Side {
  const runs = Object.entries(cases).flatMap(([key, rates], at) =>
    rates.map((passed, run) => ({
      eval_id: at + 1,
      eval_name: key,
      configuration: 'with_skill',
      run_number: run + 1,
      result: { pass_rate: passed, passed, failed: 1 - passed, total: 1, errors: 0 },
      expectations: [{ text: `says ${key}`, passed: passed === 1, evidence: 'e' }],
      notes: [],
    })),
  )
  const benchmark: Benchmark = {
    metadata: {
      skill_name: 'quick',
      skill_path: 'quick',
      executor_model: 'm-1',
      analyzer_model: 'rules',
      timestamp: '2026-01-15T10:30:00Z',
      evals_run: [],
      runs_per_configuration: 8,
      ...changes,
    },
    runs,
    run_summary: { with_skill: { pass_rate: { mean: 0, stddev: 0, min: 0, max: 0 } } },
    notes: [],
  }
  return { name, benchmark, plan: null }
}

const all = (value: number, count = 8) => Array.from({ length: count }, () => value)
const changes = (before: Rates, after: Rates) =>
  Object.fromEntries(
    diffBenchmarks(side('a', before), side('b', after), 'candidate').cases.map(({ name, change }) => [name, change]),
  )

describe('a case', () => {
  test('improves, regresses, moves within chance, stays, appears, vanishes', () => {
    const before = { up: all(0), down: all(1), odd: [1, 0, 1, 0, 1, 0, 1, 0], same: all(1), gone: all(1) }
    const after = { up: all(1), down: all(0), odd: [1, 1, 1, 0, 1, 0, 1, 0], same: all(1), fresh: all(1) }
    expect(changes(before, after)).toEqual({
      up: 'improved',
      down: 'regressed',
      odd: 'within_chance',
      same: 'same',
      gone: 'vanished',
      fresh: 'appeared',
    })
  })
  test('is matched by its key, whatever its number is', () => {
    expect(changes({ x: all(1), y: all(0) }, { y: all(0), x: all(1) })).toEqual({ x: 'same', y: 'same' })
  })
  test('few runs prove nothing', () => {
    expect(changes({ up: all(0, 2) }, { up: all(1, 2) })).toEqual({ up: 'within_chance' })
  })
  test('the same change counts less among many cases', () => {
    const [low, high] = [all(0, 4), all(1, 4)]
    expect(changes({ up: low }, { up: high })).toEqual({ up: 'improved' })
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`other-${at}`, [1, 0, 1, 0]]))
    expect(changes({ up: low, ...others }, { up: high, ...others }).up).toBe('within_chance')
  })
})

test('expectations that turned are counted in both', () => {
  const made = diffBenchmarks(
    side('a', { up: [0, 0, 1], even: [1, 0] }),
    side('b', { up: [1, 1, 0], even: [1, 1] }),
    'candidate',
  )
  expect(made.turned).toEqual([
    { case: 'up', text: 'says up', before: { passed: 1, total: 3 }, after: { passed: 2, total: 3 } },
  ])
})

describe('in words', () => {
  const made = diffBenchmarks(
    side('a', { up: all(0), '| x': all(1) }),
    side('b', { up: all(1), '| x': all(0) }, { executor_model: 'm-2' }),
    'candidate',
  )
  test('it fits its schema', () => expect(benchmarkDiff.parse(made)).toEqual(made))
  test('what differs in the plans comes first', () => {
    expect(diffSections(made).map(({ title }) => title)).toEqual([
      'Not the same in both',
      'Regressed',
      'Improved',
      'Expectations that turned',
    ])
    expect(diffSections(made)[0]?.rows).toEqual([['model', 'm-1', 'm-2']])
  })
  test('a case makes no column of its own in Markdown', () => {
    const rows = diffMarkdown(made)
      .split('\n')
      .filter((line) => line.includes('100%'))
    expect(rows.length).toBeGreaterThan(0)
    for (const line of rows) expect(line.match(/(?<!\\)\|/g)).toHaveLength(5)
  })
  test('the order of the two turns the sign', () => {
    const [one, other] = [side('a', { up: all(0), low: all(0) }), side('b', { up: all(1), low: all(0) })]
    const [there, back] = [diffBenchmarks(one, other, 'candidate'), diffBenchmarks(other, one, 'candidate')]
    expect(there.scopes?.these_cases.difference.mean).toBe(0.5)
    expect(back.scopes?.these_cases.difference.mean).toBe(-0.5)
    expect(diffHeadline(there)).toMatch(/^\+50 points of its expectations \[.*: better\./)
    expect(diffHeadline(back)).toMatch(/^[-−]50 points of its expectations \[.*: worse\./)
  })
  test('nothing in common is no comparison', () => {
    const none = diffBenchmarks(side('a', { x: all(1) }), side('b', { y: all(1) }), 'candidate')
    expect(diffHeadline(none)).toBe('No comparison: no case has runs in both.')
  })
})
