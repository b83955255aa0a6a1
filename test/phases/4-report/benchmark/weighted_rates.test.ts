/** Weights, fractional scores and diagnostics in a benchmark: one rate of a run, the same in every part of the report. */
import { describe, expect, test } from 'vitest'
import { toAgentskills } from '../../../../src/flows/report/write_agentskills.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { pageCases } from '../../../../src/phases/4-report/page/cases.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { inputOf, type Line } from '../fixture.ts'

type Verdict = { passed: boolean; weight?: number; score?: number; diagnostic?: boolean; decided_by?: string }

const line = (
  arm: Line['arm'],
  verdicts: readonly Verdict[],
  more: { evalId?: number; judge_errors?: object[] } = {},
): Line => {
  const { evalId = 1, ...grading } = more
  const expectations = verdicts.map((one, index) => ({ text: `statement ${index + 1}`, evidence: 'e', ...one }))
  return { evalId, arm, run: 1, verdicts: '', grading: { expectations, ...grading } }
}
const made = (lines: readonly Line[], statistics = {}) => aggregate(inputOf(lines, { statistics }))

test.each<[string, readonly Verdict[], number, number | undefined]>([
  ['weights', [{ passed: true, weight: 3 }, { passed: false }], 0.75, 0],
  ['scores', [{ passed: false, score: 0.4 }, { passed: true }], 0.7, 0],
  [
    'a reward: the others are diagnostics',
    [
      { passed: false, score: 0.4 },
      { passed: true, diagnostic: true },
    ],
    0.4,
    0,
  ],
])(
  '%s: the rate of the run, of the arm, of the case, in the statistics and on the page',
  (_what, verdicts, rate, all) => {
    const benchmark = made([line('with_skill', verdicts), line('without_skill', [{ passed: false }])])
    const { runs, run_summary, cases = [], statistics } = benchmark
    expect(runs[0]?.result.pass_rate).toBeCloseTo(rate, 4)
    expect(run_summary.with_skill?.pass_rate.mean).toBeCloseTo(rate, 4)
    expect(cases[0]?.arms.with_skill).toMatchObject({ all_passed: all, pass_rate: { mean: expect.closeTo(rate, 4) } })
    expect(statistics?.scopes?.these_cases.difference.mean).toBeCloseTo(rate, 6)
    expect(statistics?.arms.with_skill?.all_passed).toBe(all)
    const guide = toAgentskills(benchmark).files.get('eval-case-1/with_skill/grading.json')
    expect(guide).toMatchObject({ summary: { pass_rate: expect.closeTo(rate, 12) } })
  },
)

test('shown are mean scores and diagnostics, in benchmark.md and on the page', () => {
  const verdicts = (score: number): Verdict[] => [
    { passed: false, score },
    { passed: true, diagnostic: true },
  ]
  const benchmark = made([line('with_skill', verdicts(0.45)), line('without_skill', verdicts(0.2))])
  expect(toMarkdown(benchmark)).toContain('| 1 case-1 | statement 1 | 0.45 | 0.20 |')
  expect(pageCases(benchmark, null, new Map())[0]?.statements).toMatchObject([
    { remark: 'mean score 0.45 against 0.20', discrimination: 0.25 },
    { diagnostic: true, remark: 'passes in every run' },
  ])
  const plain = made([line('with_skill', [{ passed: true }]), line('without_skill', [{ passed: false }])])
  expect(toMarkdown(plain)).not.toContain('## Scores')
})

describe('scores of an expectation with the same verdict in every run', () => {
  const noted = (passed: boolean, [own, other]: readonly [number, number]) => {
    const lines = [line('with_skill', [{ passed, score: own }]), line('without_skill', [{ passed, score: other }])]
    const benchmark = made(lines)
    const { always_passes, never_passes } = benchmark.statistics?.expectations[0] ?? {}
    return { always_passes, never_passes, notes: benchmark.notes.filter((note) => /stricter|never pass/.test(note)) }
  }
  test.each([true, false])('that differ show a difference (passed: %s)', (passed) =>
    expect(noted(passed, [1, 0.1])).toEqual({ always_passes: false, never_passes: false, notes: [] }),
  )
  test.each([true, false])('that are all the same show none (passed: %s)', (passed) =>
    expect(noted(passed, [0.5, 0.5])).toMatchObject({
      always_passes: passed,
      never_passes: !passed,
      notes: [expect.stringContaining('statement 1')],
    }),
  )
  test('are left out of the tests of verdicts, so they do not weaken those of others', () => {
    const { expectations } = made([
      line('with_skill', [{ passed: true, score: 1 }, { passed: true }]),
      line('without_skill', [{ passed: true, score: 0.1 }, { passed: false }]),
    ]).statistics ?? { expectations: [] }
    expect(expectations.map(({ p_adjusted }) => p_adjusted)).toEqual([undefined, 1])
  })
})

describe('undecided', () => {
  const error = { text: 'statement 9', reason: 'lost' }
  test('a reward: the run is in no rate, whatever its diagnostics say', () => {
    const lost = line('with_skill', [{ passed: true, diagnostic: true }], { judge_errors: [error] })
    expect(made([lost, line('without_skill', [{ passed: false }])])).toMatchObject({
      runs: [{ configuration: 'without_skill' }],
      excluded_runs: [{ reason: 'judge_error', message: 'nothing was decided: lost' }],
    })
  })
  test('a diagnostic: the run counts', () => {
    const own = line('with_skill', [{ passed: true }], { judge_errors: [{ ...error, diagnostic: true }] })
    expect(made([own, line('without_skill', [{ passed: false }])]).runs).toHaveLength(2)
  })
})

test("the judge's part of a weighted rate is corrected, a fractional score is not", () => {
  const sample = { sensitivity: 0.9, specificity: 0.8, positives: 50, negatives: 50 }
  const own = (arm: Line['arm'], passed: boolean) =>
    line(arm, [
      { passed, weight: 3, decided_by: 'judge' },
      { passed: false, score: 0.5, decided_by: 'judge' },
    ])
  const lines = [1, 2, 3].flatMap((run) => [
    { ...own('with_skill', true), run },
    { ...own('without_skill', run > 1), run },
  ])
  const { statistics } = made(lines, { judge: { pooled: sample, byConfiguration: null } })
  expect(statistics?.judge_difference?.candidate_mean).toBe(0.75 + 0.25 * 0.5)
})
