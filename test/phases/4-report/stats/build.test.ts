/** `statistics` of a benchmark: scopes with verdict and sentence, indicators, rows; and the laws that hold for any runs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BenchmarkRun, benchmark } from '../../../../schemas/benchmark.ts'
import { statistics as schema } from '../../../../schemas/benchmark_statistics.ts'
import { aggregate } from '../../../../src/phases/4-report/aggregate.ts'
import { toHtml } from '../../../../src/phases/4-report/html.ts'
import { toMarkdown } from '../../../../src/phases/4-report/markdown.ts'
import { buildStatistics } from '../../../../src/phases/4-report/stats/build.ts'
import { indicatorOf } from '../../../../src/phases/4-report/stats/indicators.ts'
import { sureness } from '../../../../src/phases/4-report/summary_table.ts'
import { arm, inputOf, type Line } from '../fixture.ts'

const arms = { candidate: 'with_skill', baseline: 'without_skill' }
const made = (lines: readonly Line[], changes = {}) => aggregate(inputOf(lines, changes))
const of = (lines: readonly Line[], changes = {}) => {
  const found = made(lines, changes).statistics
  if (found === undefined) throw new Error('no statistics')
  return found
}
const pair = (id: number, candidate: readonly string[], baseline: readonly string[]): Line[] => [
  ...arm(id, 'with_skill', candidate),
  ...arm(id, 'without_skill', baseline),
]
const suite = (cases: number, candidate: readonly string[], baseline: readonly string[]) =>
  Array.from({ length: cases }, (_, at) => pair(at + 1, candidate, baseline)).flat()
const ten = (pass: string, other: string, passed: number) =>
  Array.from({ length: 10 }, (_, at) => (at < passed ? pass : other))

describe('verdicts, each with its sentence', () => {
  test('helps on these cases; too few to say for cases like these', () => {
    const { scopes } = of(suite(4, ten('++', '+-', 7), ten('++', '--', 4)))
    expect(scopes?.these_cases).toMatchObject({ verdict: 'helps', difference: { method: 'within_case_t', n_runs: 80 } })
    expect(scopes?.these_cases.sentence).toBe(
      'On these 4 cases, runs with the skill meet 45 points more of their expectations [27, 63] (10 runs each, p < 0.001).',
    )
    expect(scopes?.cases_like_these).toMatchObject({ verdict: 'inconclusive', difference: { ci_low: null } })
    expect(scopes?.cases_like_these.sentence).toMatch(/^For cases like these: too few to say; \d+ more would do\.$/)
  })
  test('hurts, with arms turned', () => {
    const { scopes } = of(suite(4, ten('++', '--', 4), ten('++', '+-', 7)))
    expect(scopes?.these_cases.verdict).toBe('hurts')
    expect(scopes?.these_cases.sentence).toContain('meet 45 points fewer of their expectations [-63, -27]')
  })
  test('everything passes: a bound with width, no difference once it is narrow enough', () => {
    const few = of(suite(4, ['+', '+', '+'], ['+', '+', '+'])).scopes
    expect(few?.these_cases).toMatchObject({
      verdict: 'inconclusive',
      difference: { mean: 0, method: 'wilson_newcombe' },
    })
    const many = of(suite(30, ['+', '+', '+'], ['+', '+', '+'])).scopes
    expect(many?.these_cases).toMatchObject({ verdict: 'no_difference', difference: { mean: 0, p_value: 1 } })
    expect(many?.cases_like_these).toMatchObject({ verdict: 'no_difference', difference: { method: 'beta_bound' } })
    expect(many?.these_cases.sentence).toContain('no difference beyond 10 points')
    for (const scope of [few?.these_cases, many?.these_cases, many?.cases_like_these]) {
      expect((scope?.difference.ci_high ?? 0) - (scope?.difference.ci_low ?? 0)).toBeGreaterThan(0.01)
    }
  })
  test('cases like these: six that differ can help, five cannot', () => {
    const rates = ['++-', '+--', '++-', '+++', '++-', '+++']
    const lines = (cases: number) =>
      rates.slice(0, cases).flatMap((one, at) => pair(at + 1, [one, one, one, one], Array(4).fill('---')))
    expect(of(lines(6)).scopes?.cases_like_these).toMatchObject({ verdict: 'helps', difference: { p_value: 0.03125 } })
    const five = of(lines(5)).scopes?.cases_like_these
    expect(five).toMatchObject({
      verdict: 'inconclusive',
      difference: { p_value: 0.0625, method: 'paired_t' },
      needed: 1,
    })
  })
  test('of eight cases five that differ give no interval, six do', () => {
    const lines = (differ: number) =>
      Array.from({ length: 8 }, (_, at) =>
        pair(at + 1, Array(4).fill(at < differ ? '+-' : '--'), Array(4).fill('--')),
      ).flat()
    expect(of(lines(5)).scopes?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      rule: '5 cases differ; below 6 nothing can be concluded',
      difference: { mean: 0.3125, ci_low: null },
    })
    expect(of(lines(6)).scopes?.cases_like_these.difference.method).toBe('paired_t')
  })
  test('eight cases of one run that pass or fail are too coarse, however many differ; more cases or runs would do', () => {
    const lines = (runs: number) =>
      Array.from({ length: 8 }, (_, at) =>
        pair(at + 1, Array(runs).fill(at < 7 ? '+' : '-'), Array(runs).fill('-')),
      ).flat()
    expect(of(lines(1)).scopes?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      difference: { mean: 0.875, ci_low: null, p_value: 0.015625 },
      rule: '8 cases of 1 verdict an arm each are too coarse for an interval: 17 cases would do, or more runs',
      needed: 9,
      sentence: 'For cases like these: too few to say; 9 more would do.',
    })
    expect(of(lines(4)).scopes?.cases_like_these).toMatchObject({
      verdict: 'helps',
      difference: { method: 'paired_t' },
    })
  })
  test('a small difference that is not sure is not called none', () => {
    const found = of(suite(4, ten('++', '+-', 5), ten('++', '+-', 4))).scopes?.these_cases
    expect(found).toMatchObject({ verdict: 'inconclusive', difference: { mean: 0.05 } })
  })
  test('stopped by looks: the e-value decides, the interval is a confidence sequence', () => {
    const lines = suite(4, ['+', '+', '+'], ['-', '-', '-'])
    const found = of(lines, { statistics: { sequential: { maxRuns: 10, cases: 4, finished: 3 } } }).scopes?.these_cases
    expect(found).toMatchObject({ verdict: 'helps', difference: { method: 'betting_sequence', p_method: 'e_value' } })
    expect(found?.sentence).toContain('valid at every look; the interval is wide after few blocks')
    const early = of(suite(2, ['+', '+'], ['-', '-']), {
      statistics: { sequential: { maxRuns: 10, cases: 4, finished: 3 } },
    }).scopes?.these_cases
    expect(early?.verdict).toBe('inconclusive') // four pairs won: 1/e is above .05, though the exact test is below
  })
  test('stopped by looks: an interval for cases like these stands beside, without a test or a verdict', () => {
    const lines = Array.from({ length: 12 }, (_, at) =>
      pair(at + 1, ['+', '+', at % 3 ? '+' : '-'], ['-', '-', '-']),
    ).flat()
    const sequential = { maxRuns: 10, cases: 12, finished: 3 }
    const looked = of(lines, { statistics: { sequential } }).scopes
    const fixed = of(lines).scopes
    expect(fixed?.cases_like_these).toMatchObject({ verdict: 'helps', difference: { method: 'paired_t' } })
    expect(looked?.these_cases.verdict).toBe('helps')
    expect(looked?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      difference: { ...fixed?.cases_like_these.difference, p_value: null, p_method: null },
      rule: expect.stringContaining('looks at these cases decided when the runs ended'),
      needed: null,
    })
    expect(looked?.cases_like_these.sentence).toBe(
      'For cases like these: 89 points more [78, 99] (12 cases), without a verdict since looks ended the runs.',
    )
  })
  test('two versions', () => {
    const lines = suite(3, ['++', '+-'], ['+-', '--']).map((line) => ({
      ...line,
      arm: line.arm === 'with_skill' ? ('new_skill' as const) : ('old_skill' as const),
    }))
    const found = of(lines, { candidate: 'new_skill', baseline: 'old_skill' })
    expect(found.scopes?.these_cases.sentence).toContain('runs with the new version')
  })
  test('one arm has no scopes, no common case no number', () => {
    expect(of(arm(1, 'with_skill', ['+-']), { baseline: null }).scopes).toBeNull()
    const apart = made([...arm(1, 'with_skill', ['+-']), ...arm(2, 'without_skill', ['+-'])])
    expect(apart.statistics?.scopes?.these_cases.difference).toMatchObject({ mean: null, n_cases: 0 })
    expect(toMarkdown(apart)).not.toContain('On these')
    expect(of([]).scopes?.these_cases.verdict).toBe('inconclusive')
  })
  test('known noise enters the sentence', () => {
    const noise = { calibration: { difference: 0.01, floor: 0.06, n_runs: 40 }, grading: null }
    const found = of(suite(2, ['++', '+-'], ['+-', '--']), { statistics: { noise } })
    expect(found.noise).toEqual(noise)
    expect(found.scopes?.these_cases.sentence).toMatch(/The baseline against itself differs by up to 6 points\.$/)
  })
  test('markdown and page show both sentences', () => {
    const shown = made(suite(4, ten('++', '+-', 7), ten('++', '--', 4)))
    for (const text of [toMarkdown(shown), toHtml(shown)]) {
      expect(text).toContain('On these 4 cases, runs with the skill meet 45 points more')
      expect(text).toContain('For cases like these: too few to say')
    }
  })
})

describe('indicators', () => {
  test.each([
    ['The agent read SKILL.md before answering', 'skill_read'],
    ['Uses the sales-report skill', 'skill_read'],
    ["Follows the skill's steps", 'skill_read'],
    ['The skill was invoked', 'skill_read'],
    ['Ran scripts/summarise.py on the input', 'skill_script'],
    ["The skill's helper script was executed", 'skill_script'],
    ['The title is worded as the skill prescribes', 'skill_wording'],
    ["The report has the skill's template headings", 'skill_wording'],
    ['The report lists the skills each job needs', null],
    ['Names the skill gap of each team', null],
    ['The script prints a total', null],
    ['The total is 1284.50', null],
  ])('%s: %s', (text, rule) => {
    expect(indicatorOf({ text }, true)).toBe(rule)
    expect(indicatorOf({ text }, false)).toBeNull()
    expect(indicatorOf({ text, indicator: true }, false)).toBe('author')
    expect(indicatorOf({ text, indicator: false }, true)).toBeNull()
  })
  test('are shown, named in the notes, and left out of the lift', () => {
    const statements = ['The agent read SKILL.md', 'The total is 1284.50']
    const lines = suite(4, ['++', '++', '++'], ['-+', '-+', '-+']).map((line) => ({ ...line, statements }))
    const found = made(lines)
    expect(found.run_summary.delta?.pass_rate).toBe('+0.50')
    expect(found.statistics?.scopes?.these_cases.difference.mean).toBe(0)
    expect(found.statistics?.scopes?.these_cases.sentence).toContain('4 indicators left out')
    expect(found.statistics?.expectations[0]).toMatchObject({ indicator: 'skill_read', discrimination: 1 })
    expect(found.notes.filter((note) => note.includes('left out of the statistics'))).toHaveLength(4)
    // Without the rule the same runs gain 50 points, and headline and sentence agree.
    expect(sureness(found)[2]).toBe(
      'The pass rates count all 8 statements, 4 indicators too: a difference of +50 points there, +0 without them.',
    )
    const plain = suite(4, ['++', '++', '++'], ['-+', '-+', '-+'])
    expect(of(plain).scopes?.these_cases.difference.mean).toBe(0.5)
    expect(sureness(made(plain))).toHaveLength(2)
  })
})

describe('rows', () => {
  test('expectations: what tells apart, what never does, what says the same', () => {
    const found = of(pair(1, ['+++-', '+++-'], ['+---', '+---']))
    expect(found.expectations.map(({ discrimination }) => discrimination)).toEqual([0, 1, 1, 0])
    expect(found.expectations.map((row) => [row.always_passes, row.never_passes])).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [false, true],
    ])
    expect(found.expectations[2]?.redundant_with).toBe('The report names every region')
    expect(found.expectations[1]?.redundant_with).toBeNull()
  })
  test('arms, flakiness, pass@k absent where a case has fewer runs', () => {
    const found = of([...pair(1, ['+', '-', '+'], ['-', '-', '-']), ...pair(2, ['+', '+'], ['+', '+'])])
    expect(found.arms.with_skill).toMatchObject({ n_cases: 2, n_runs: 5, all_passed: 4 })
    expect(found.cases.map(({ flaky }) => flaky)).toEqual([true, false])
    expect(Object.keys(found.pass_at_k.with_skill ?? {})).toEqual(['1', '2'])
    expect(found.pass_hat_k.with_skill).toEqual({ '1': 0.833333, '2': 0.666667 })
  })
  test('cost and time ratios, activation, the smallest difference to be found', () => {
    const lines = suite(4, ['+-', '++', '--'], ['--', '+-', '--']).map((line) => ({
      ...line,
      seconds: (line.arm === 'with_skill' ? 20 : 10) + line.run,
    }))
    const found = of(lines)
    expect(found.ratios.time_seconds?.ratio).toBeCloseTo(22 / 12, 6)
    expect(found.ratios.time_seconds?.ci_low).toBeLessThan(22 / 12)
    expect(found.ratios.cost_usd).toMatchObject({ ratio: 1, ci_low: null })
    expect(found.activation.with_skill).toMatchObject({ read: 12, known: 12 })
    expect(found.mde.these_cases).toBeGreaterThan(0.1)
    expect(found.mde.cases_like_these).toBeNull()
  })
  test("the judge's errors correct the rate when a sample of them is known", () => {
    const judge = { sensitivity: 0.9, specificity: 0.85, positives: 50, negatives: 50 }
    const found = of(suite(4, ['+-', '++'], ['--', '+-']), { statistics: { judge } })
    expect(found.judge?.with_skill?.rate).toBeCloseTo((0.75 + 0.85 - 1) / 0.75, 6)
    expect(found.judge?.with_skill?.judged_share).toBe(1)
    expect(of(suite(4, ['+-'], ['--'])).judge).toBeNull()
  })
  describe('where code decides a part', () => {
    const judge = { sensitivity: 0.9, specificity: 0.85, positives: 50, negatives: 50 }
    /** The first statement by the judge, the second by code. */
    const mixed = (lines: Line[], by: readonly string[] = ['judge', 'check:contains']) =>
      lines.map((line) => {
        const expectations = [...(line.verdicts ?? '')].map((mark, index) => ({
          ...{ text: `Statement ${index + 1}`, passed: mark === '+', evidence: 'e', decided_by: by[index] },
        }))
        return { ...line, grading: { expectations } }
      })
    const judgeOf = (lines: Line[]) => of(lines, { statistics: { judge } }).judge
    test('the part of the judge alone is corrected', () => {
      const found = judgeOf(mixed(suite(4, ['+-', '++'], ['--', '+-'])))
      // judged: all met; by code: half
      expect(found?.with_skill).toMatchObject({ rate: 0.5 * 1 + 0.5 * 0.5, judged_share: 0.5 })
      const half = 0.5 * ((0.5 + 0.85 - 1) / 0.75)
      expect(found?.without_skill).toMatchObject({ rate: expect.closeTo(half, 6), judged_share: 0.5 })
    })
    test('both parts are in the interval, which holds the rate; code alone is corrected by nothing', () => {
      const found = judgeOf(mixed(suite(4, ['+-', '++'], ['--', '+-'])))?.without_skill
      expect(found?.ci_low).toBeLessThan(found?.rate ?? 0)
      expect(found?.ci_high).toBeGreaterThan(found?.rate ?? 1)
      const code = judgeOf(mixed(suite(4, ['+-', '++'], ['--', '+-']), ['check:contains', 'timeout']))
      expect(code?.with_skill).toMatchObject({ rate: 0.75, judged_share: 0 })
      expect(code?.with_skill?.ci_low).toBeGreaterThan(0.4)
    })
    test('a judge that guesses corrects no arm', () => {
      const chance = { sensitivity: 0.5, specificity: 0.5, positives: 50, negatives: 50 }
      const lines = mixed(suite(4, ['+-'], ['--']))
      expect(of(lines, { statistics: { judge: chance } }).judge).toEqual({})
    })
  })
  test('a benchmark without statistics still loads', () => {
    const { statistics: _, ...older } = made(suite(2, ['+'], ['-']))
    expect(toMarkdown(benchmark.parse(older))).not.toContain('On these')
  })
})

const marks = fc.array(fc.constantFrom('+', '-'), { minLength: 1, maxLength: 4 }).map((some) => some.join(''))
const cell = fc.array(marks, { maxLength: 4 })
const someSuite = fc
  .array(fc.record({ candidate: cell, baseline: cell }), { minLength: 1, maxLength: 7 })
  .map((cases) => cases.flatMap(({ candidate, baseline }, at) => pair(at + 1, candidate, baseline)))
const runsOf = (lines: readonly Line[]): BenchmarkRun[] => made(lines).runs

describe('laws', () => {
  test('the order of runs changes nothing, and the schema fits', () => {
    fc.assert(
      fc.property(someSuite, (lines) => {
        const runs = runsOf(lines)
        const found = buildStatistics(runs, arms)
        expect(buildStatistics(runs.toReversed(), arms)).toEqual(found)
        expect(schema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found)
      }),
    )
  })
  test('other numbers for the cases change no number', () => {
    fc.assert(
      fc.property(someSuite, (lines) => {
        const runs = runsOf(lines)
        const moved = runs.map((run) => ({ ...run, eval_id: 100 - run.eval_id }))
        const [one, other] = [buildStatistics(runs, arms), buildStatistics(moved, arms)]
        for (const scope of ['these_cases', 'cases_like_these'] as const) {
          expect(other.scopes?.[scope].verdict).toBe(one.scopes?.[scope].verdict)
          expect(other.scopes?.[scope].difference.p_value ?? 0).toBeCloseTo(
            one.scopes?.[scope].difference.p_value ?? 0,
            5,
          )
          expect(other.scopes?.[scope].difference.ci_low ?? 0).toBeCloseTo(
            one.scopes?.[scope].difference.ci_low ?? 0,
            5,
          )
        }
      }),
    )
  })
  test('turned arms turn the sign and the verdict', () => {
    const turnedVerdict = {
      helps: 'hurts',
      hurts: 'helps',
      no_difference: 'no_difference',
      inconclusive: 'inconclusive',
    }
    fc.assert(
      fc.property(someSuite, (lines) => {
        const runs = runsOf(lines)
        const one = buildStatistics(runs, arms)
        const other = buildStatistics(runs, { candidate: 'without_skill', baseline: 'with_skill' })
        for (const scope of ['these_cases', 'cases_like_these'] as const) {
          const [a, b] = [one.scopes?.[scope], other.scopes?.[scope]]
          if (!a || !b) throw new Error('no scope')
          expect(b.difference.mean ?? 0).toBeCloseTo(-(a.difference.mean ?? 0), 5)
          expect(b.difference.ci_high ?? 0).toBeCloseTo(-(a.difference.ci_low ?? 0), 5)
          expect(b.difference.p_value ?? 0).toBeCloseTo(a.difference.p_value ?? 0, 5)
          expect(b.verdict).toBe(turnedVerdict[a.verdict])
        }
      }),
    )
  })
  test('each run twice leaves the difference and widens nothing', () => {
    fc.assert(
      fc.property(someSuite, (lines) => {
        const runs = runsOf(lines)
        const twice = [...runs, ...runs.map((run) => ({ ...run, run_number: run.run_number + 50 }))]
        const [one, other] = [buildStatistics(runs, arms).scopes, buildStatistics(twice, arms).scopes]
        const [a, b] = [one?.these_cases.difference, other?.these_cases.difference]
        expect(b?.mean ?? 0).toBeCloseTo(a?.mean ?? 0, 5)
        if (a?.method === b?.method) {
          expect((b?.ci_high ?? 0) - (b?.ci_low ?? 0)).toBeLessThanOrEqual((a?.ci_high ?? 0) - (a?.ci_low ?? 0) + 1e-6)
        }
      }),
    )
  })
})
