/** diff: what got better, worse or turned between two benchmarks, and what chance may have done. */
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { benchmarkDiff } from '../../../../schemas/benchmark_diff.ts'
import { diffMarkdown } from '../../../../src/features/diff/diff.ts'
import type { DiffSide } from '../../../../src/phases/4-report/diff/diff.ts'
import { diffBenchmarks } from '../../../../src/phases/4-report/diff/diff.ts'
import { diffHeadline, diffSections } from '../../../../src/phases/4-report/diff/diff_text.ts'

type Rates = Record<string, readonly number[]>

/** A benchmark in which each run of a case with the skill met its one expectation (1) or not (0). */
function side(name: string, cases: Rates, changes: Record<string, unknown> = {}): DiffSide {
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

test('a benchmark of chosen cases says so: what vanished was not run', () => {
  const [whole, some] = [side('a', { one: [1], two: [1] }), side('b', { one: [1] })]
  const chosen = { ...some, benchmark: { ...some.benchmark, chosen: { eval_ids: [1], of: 2 } } }
  const { plan } = diffBenchmarks(whole, chosen, 'candidate')
  expect(plan).toContainEqual({ what: 'cases run', before: 'all', after: 'only case 1 of 2 cases' })
  expect(diffBenchmarks(whole, some, 'candidate').plan).toEqual([])
})

test('cases whose names were derived from prompts that begin alike stay apart', () => {
  const alike = (name: string, rates: Rates) => {
    const made = side(name, rates)
    const runs = made.benchmark.runs.map((run) => ({ ...run, eval_name: 'what-is-the-capital' }))
    return { ...made, benchmark: { ...made.benchmark, runs } }
  }
  const rates = { one: all(1), two: all(0), three: all(1) }
  const { cases } = diffBenchmarks(alike('a', rates), alike('b', { ...rates, two: all(1) }), 'candidate')
  expect(cases.map(({ name, change }) => [name, change])).toEqual([
    ['what-is-the-capital (1)', 'same'],
    ['what-is-the-capital (3)', 'same'],
    ['what-is-the-capital (2)', 'improved'],
  ])
})

describe('a case', () => {
  test('improves, regresses, moves within chance, stays, appears, vanishes', () => {
    const before = { up: all(0), down: all(1), odd: [1, 0, 1, 0, 1, 0, 1, 0], same: all(1), gone: all(1) }
    const after = { up: all(1), down: all(0), odd: [1, 1, 1, 0, 1, 0, 1, 0], same: all(1), fresh: all(1) }
    expect(changes(before, after)).toEqual({
      ...{ up: 'improved', down: 'regressed', odd: 'within_chance', same: 'same' },
      ...{ gone: 'vanished', fresh: 'appeared' },
    })
  })
  test('is matched by its key, whatever its number is', () => {
    expect(changes({ x: all(1), y: all(0) }, { y: all(0), x: all(1) })).toEqual({ x: 'same', y: 'same' })
  })
  test('few runs prove nothing', () => {
    expect(changes({ up: all(0, 2) }, { up: all(1, 2) })).toEqual({ up: 'within_chance' })
  })
  test('scores that no exact test can count prove nothing', () => {
    const odd = (name: string, rates: readonly number[]): DiffSide => {
      const made = side(name, { x: rates })
      const runs = made.benchmark.runs.map((run) => ({ ...run, expectations: [] }))
      return { ...made, benchmark: { ...made.benchmark, runs } }
    }
    const [low, high] = [odd('a', [0.0123456, 0.0234561, 0.0345612]), odd('b', [0.8123456, 0.9234561, 0.7345612])]
    const { cases } = diffBenchmarks(low, high, 'candidate')
    expect(cases).toMatchObject([{ change: 'within_chance', p_adjusted: null }])
  })
  test('the same change counts less among many cases', () => {
    const [low, high] = [all(0, 4), all(1, 4)]
    expect(changes({ up: low }, { up: high })).toEqual({ up: 'improved' })
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`other-${at}`, [1, 0, 1, 0]]))
    expect(changes({ up: low, ...others }, { up: high, ...others }).up).toBe('within_chance')
  })
})

describe('what is compared', () => {
  test('cases come worst first', () => {
    const before = { up: all(0), same: all(1), down: all(1) }
    expect(Object.keys(changes(before, { ...before, up: all(1), down: all(0) }))).toEqual(['down', 'same', 'up'])
  })
  test('the other arm, where it is asked for; an arm that there is not has no name', () => {
    const withBaseline = (name: string, own: readonly number[], other: readonly number[]): DiffSide => {
      const [a, b] = [side(name, { x: own }), side(name, { x: other })]
      const runs = [...a.benchmark.runs, ...b.benchmark.runs.map((run) => ({ ...run, configuration: 'without_skill' }))]
      const run_summary = { ...a.benchmark.run_summary, without_skill: a.benchmark.run_summary.with_skill ?? {} }
      return { ...a, benchmark: { ...a.benchmark, runs, run_summary } as unknown as Benchmark }
    }
    const [before, after] = [withBaseline('a', all(1), all(0)), withBaseline('b', all(1), all(1))]
    const baseline = diffBenchmarks(before, after, 'baseline')
    const configuration = 'without_skill'
    expect(baseline).toMatchObject({ before: { name: 'a', configuration }, after: { name: 'b', configuration } })
    expect(baseline.cases).toMatchObject([{ change: 'improved' }])
    expect(diffBenchmarks(before, after, 'candidate').cases).toMatchObject([{ change: 'same' }])
    expect(diffBenchmarks(side('a', { x: all(1) }), after, 'baseline').before.configuration).toBeNull()
  })
  test("a case goes by the suite's own key before its name", () => {
    const keyed = (name: string, label: string, key: string): DiffSide => {
      const made = side(name, { [label]: all(1) })
      const row = { eval_id: 1, eval_key: key, eval_name: label, arms: {}, delta: null }
      return { ...made, benchmark: { ...made.benchmark, cases: [row] } }
    }
    const renamed = diffBenchmarks(keyed('a', 'old name', 'k-1'), keyed('b', 'new name', 'k-1'), 'candidate')
    expect(renamed.cases).toMatchObject([{ name: 'k-1', change: 'same' }])
    const other = diffBenchmarks(keyed('a', 'same name', 'k-1'), keyed('b', 'same name', 'k-2'), 'candidate')
    expect(other.cases.map(({ change }) => change).sort()).toEqual(['appeared', 'vanished'])
  })
  test('what differs in the plans, each by itself; what one of the two does not say is a question mark', () => {
    const plan = {
      skill: { sha256: 'a'.repeat(64) },
      suite: { sha256: 'b'.repeat(64) },
      baseline: null,
      options: {
        engine: { name: 'codex' },
        judge: { name: 'anthropic', model: 'haiku' },
        timeout_seconds: 300,
        max_turns: null,
        activation: 'natural',
      },
    }
    const planned = (change: object, metadata: Record<string, unknown> = {}): DiffSide => ({
      ...side('b', { x: all(1) }, { engine_version: '1.0', ...metadata }),
      plan: { ...plan, ...change } as unknown as DiffSide['plan'], // only what is compared
    })
    const options = (change: object) => ({ options: { ...plan.options, ...change } })
    const differs = (...[change, metadata]: Parameters<typeof planned>) =>
      diffBenchmarks(planned({}), planned(change, metadata), 'candidate').plan
    expect(differs({})).toEqual([])
    const each: [string, string | null, string | null, object, Record<string, unknown>?][] = [
      ['skill version', 'aaaaaaaaaaaa', 'cccccccccccc', { skill: { sha256: 'c'.repeat(64) } }],
      ['suite', 'bbbbbbbbbbbb', 'cccccccccccc', { suite: { sha256: 'c'.repeat(64) } }],
      ['baseline', null, 'cccccccccccc', { baseline: { sha256: 'c'.repeat(64) } }],
      ['engine', 'codex', 'opencode', options({ engine: { name: 'opencode' } })],
      ['engine version', '1.0', '1.1', {}, { engine_version: '1.1' }],
      ['model', 'm-1', 'm-2', {}, { executor_model: 'm-2' }],
      ['judge', 'anthropic:haiku', 'anthropic:opus', options({ judge: { name: 'anthropic', model: 'opus' } })],
      ['agent command', null, './a.sh', options({ engine: { name: 'codex', command: './a.sh' } })],
      ['judge command', null, './j.sh', options({ judge: { name: 'anthropic', model: 'haiku', command: './j.sh' } })],
      ['base URL', null, 'http://a', options({ engine: { name: 'codex', base_url: 'http://a' } })],
      [
        "judge's base URL",
        null,
        'http://b',
        options({ judge: { name: 'anthropic', model: 'haiku', base_url: 'http://b' } }),
      ],
      ['judge samples', '1', '3', options({ judge_samples: 3 })],
      ['require evidence', 'false', 'true', options({ require_evidence: true })],
      ['on timeout', null, 'exclude', options({ on_timeout: 'exclude' })],
      ['timeout', '300', '60', options({ timeout_seconds: 60 })],
      ['max turns', null, '5', options({ max_turns: 5 })],
      ['activation', 'natural', 'instructed', options({ activation: 'instructed' })],
      ['runs a case', '8', '3', {}, { runs_per_configuration: 3 }],
    ]
    for (const [what, before, after, change, metadata] of each) {
      expect(differs(change, metadata), what).toEqual([{ what, before, after }])
    }
    const made = diffBenchmarks(planned({}), planned(options({ max_turns: 5 })), 'candidate')
    expect(diffSections(made)[0]?.rows).toEqual([['max turns', '?', '5']])
    const [first] = differs(options({ engine: { name: 'command', command: './a.sh' } }))
    expect(first?.what).toBe('agent command')
  })
  test('a rate that is not there is a dash, not 0%', () => {
    const made = diffBenchmarks(side('a', { x: all(1) }), side('b', { x: all(1), y: all(1) }), 'candidate')
    expect(diffSections(made)).toMatchObject([{ title: 'Appeared', rows: [['y', '–', '100%', '', '']] }])
  })
})

describe('expectations that turned', () => {
  const turned = (before: Rates, after: Rates) =>
    diffBenchmarks(side('a', before), side('b', after), 'candidate').turned
  test('are those whose change is significant, counted in both', () => {
    const counts = { before: { passed: 0, total: 8 }, after: { passed: 8, total: 8 } }
    expect(turned({ up: all(0), even: all(1) }, { up: all(1), even: [...all(1, 7), 0] })).toEqual([
      { case: 'up', text: 'says up', ...counts, p_adjusted: expect.closeTo(4 / 12_870, 5) },
    ])
  })
  test('a change that chance often makes is not listed, even if most runs changed', () => {
    expect(turned({ up: [0, 0, 1] }, { up: [1, 1, 0] })).toEqual([])
    expect(turned({ up: all(0, 3) }, { up: all(1, 3) })).toEqual([])
  })
  test('the same change counts less among many expectations', () => {
    const [low, high] = [all(0, 4), all(1, 4)]
    expect(turned({ up: low }, { up: high })).toHaveLength(1)
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`other-${at}`, [1, 0, 1, 0]]))
    expect(turned({ up: low, ...others }, { up: high, ...others })).toEqual([])
  })
})

describe('in words', () => {
  const made = diffBenchmarks(
    side('a', { up: all(0), '| x': all(1) }),
    side('b', { up: all(1), '| x': all(0) }, { executor_model: 'm-2' }),
    'candidate',
  )
  test('it fits its schema', () => expect(benchmarkDiff.parse(made)).toEqual(made))
  test('what differs in the plans comes first', () => {
    const [first, second] = diffSections(made)
    expect([first?.title, first?.rows, second?.title]).toEqual([
      'Differences in setup',
      [['model', 'm-1', 'm-2']],
      'Regressed',
    ])
    expect(second?.rows[0]?.at(-1)).toMatch(/^p [=<] 0\.\d/)
  })
  test('a case makes no column of its own in Markdown', () => {
    const rows = diffMarkdown(made).split('\n')
    const shown = rows.filter((line) => line.includes('100%'))
    expect(shown.length).toBeGreaterThan(0)
    for (const line of shown) expect(line.match(/(?<!\\)\|/g)).toHaveLength(6)
  })
  test('the order of the two turns the sign', () => {
    const [one, other] = [side('a', { up: all(0), low: all(0) }), side('b', { up: all(1), low: all(0) })]
    const [there, back] = [diffBenchmarks(one, other, 'candidate'), diffBenchmarks(other, one, 'candidate')]
    expect(there.scopes?.these_cases.difference.mean).toBe(0.5)
    expect(back.scopes?.these_cases.difference.mean).toBe(-0.5)
    expect(diffHeadline(there)).toMatch(
      /^Better: pass rate 50% after, 0% before: \+50 points, .* p < 0\.001 \(2 cases\)/,
    )
    expect(diffHeadline(back)).toMatch(/^Worse: pass rate 0% after, 50% before: -50 points, .* p < 0\.001 \(2 cases\)/)
  })
  test('three runs each are too few for a verdict, so no p-value is shown', () => {
    const few = diffBenchmarks(side('a', { up: all(0, 3) }), side('b', { up: all(1, 3) }), 'candidate')
    expect(few.scopes?.these_cases.difference.p_value).toBeLessThan(0.05)
    expect(diffHeadline(few)).toMatch(
      /^Inconclusive: pass rate 100% after, 0% before: \+100 points, 95% CI \[\d+, 100\] \(1 case\)\. Even if all runs agreed, .* at least 4 runs per case and configuration\. Similar cases: /,
    )
  })
  test('nothing in common is no comparison', () => {
    const none = diffBenchmarks(side('a', { x: all(1) }), side('b', { y: all(1) }), 'candidate')
    expect(diffHeadline(none)).toBe('Not comparable: no case has graded runs in both.')
  })
})
