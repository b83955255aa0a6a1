/** `statistics` of a benchmark: scopes with verdict and sentence, indicators, rows; and the laws that hold for any runs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BenchmarkRun, benchmark } from '../../../../schemas/benchmark.ts'
import { statistics as schema } from '../../../../schemas/benchmark_statistics.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { buildStatistics } from '../../../../src/phases/4-report/stats/build_statistics.ts'
import { classifyIndicator } from '../../../../src/phases/4-report/stats/scores/indicators.ts'
import { confidenceNotes } from '../../../../src/phases/4-report/text/headline.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
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

const pooled = { sensitivity: 0.9, specificity: 0.85, positives: 50, negatives: 50 }

describe('verdicts, each with its sentence', () => {
  test('helps on these cases; too few cases for others like them', () => {
    const { scopes } = of(suite(4, ten('++', '+-', 7), ten('++', '--', 4)))
    expect(scopes?.these_cases).toMatchObject({
      verdict: 'helps',
      rule: 'moderated_t: p ≤ 0.05, the interval is above 0',
      difference: { method: 'moderated_t', p_method: 'moderated_t', n_runs: 80 },
      needed_for_margin: null,
    })
    expect(scopes?.these_cases.difference).toMatchObject({ candidate_mean: 0.85, baseline_mean: 0.4, mean: 0.45 })
    expect(scopes?.these_cases.sentence).toContain('+45 points, 95% CI [27, 63], p < 0.001 (4 cases × 10 runs).')
    expect(scopes?.cases_like_these).toMatchObject({ verdict: 'inconclusive', difference: { ci_low: null } })
  })
  test.each([
    ['+', 'too_easy'],
    ['-', 'too_hard'],
  ])('every run %s: %s, with an interval that has width', (mark, verdict) => {
    for (const cases of [4, 30]) {
      const found = of(suite(cases, [mark, mark, mark], [mark, mark, mark])).scopes
      expect(found?.these_cases).toMatchObject({ verdict, difference: { mean: 0, p_value: 1 } })
      expect(found?.cases_like_these.verdict).toBe(cases === 4 ? 'inconclusive' : verdict)
      const { ci_high, ci_low } = found?.these_cases.difference ?? {}
      expect((ci_high ?? 0) - (ci_low ?? 0)).toBeGreaterThan(0.01)
    }
  })
  test('all runs tie in between: no difference once the interval is inside the margin', () => {
    const tied = (runs: number) => of(suite(4, Array(runs).fill('+-'), Array(runs).fill('+-'))).scopes?.these_cases
    expect(tied(2)?.verdict).toBe('inconclusive')
    expect(tied(20)).toMatchObject({ verdict: 'no_difference', difference: { mean: 0 } })
  })
  test('a significant difference at the ceiling is a difference first', () => {
    const most = (passed: number) => ten('+', '-', passed)
    const found = of(suite(20, most(10), [...most(10).slice(1), '-'])).scopes?.these_cases
    expect(found).toMatchObject({ verdict: 'helps', difference: { candidate_mean: 1, baseline_mean: 0.9 } })
  })
  test('similar cases: six that differ can help, five have no interval', () => {
    const rates = ['++-', '+--', '++-', '+++', '++-', '+++']
    const lines = (cases: number) =>
      rates.slice(0, cases).flatMap((one, at) => pair(at + 1, [one, one, one, one], Array(4).fill('---')))
    expect(of(lines(6)).scopes?.cases_like_these).toMatchObject({
      verdict: 'helps',
      difference: { method: 'paired_t', p_method: 'paired_t' },
    })
    expect(of(lines(5)).scopes?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      rule: 'an interval needs at least 6 cases',
      difference: { p_value: null, ci_low: null, method: null },
    })
  })
  test('of eight cases five that differ give no interval, six do', () => {
    const lines = (differ: number) =>
      Array.from({ length: 8 }, (_, at) =>
        pair(at + 1, Array(4).fill(at < differ ? '+-' : '--'), Array(4).fill('--')),
      ).flat()
    expect(of(lines(5)).scopes?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      rule: 'an interval needs at least 6 cases that differ',
      difference: { mean: 0.3125, ci_low: null },
      sentence: 'Similar cases: inconclusive, an interval needs at least 6 cases that differ (8 cases).',
    })
    expect(of(lines(6)).scopes?.cases_like_these.difference.method).toBe('paired_t')
  })
  test('eight cases of one run that passes or fails are too coarse; more cases or runs are needed', () => {
    const lines = (runs: number) => [
      ...suite(7, Array(runs).fill('+'), Array(runs).fill('-')),
      ...pair(8, Array(runs).fill('-'), Array(runs).fill('-')),
    ]
    expect(of(lines(1)).scopes?.cases_like_these).toMatchObject({
      verdict: 'inconclusive',
      difference: { mean: 0.875, ci_low: null, p_value: null },
      rule: 'with 1 verdict per case and configuration an interval needs at least 17 cases, or more runs',
      sentence:
        'Similar cases: inconclusive, with 1 verdict per case and configuration an interval needs at least 17 cases, or more runs (8 cases).',
    })
    expect(of(lines(4)).scopes?.cases_like_these).toMatchObject({
      verdict: 'helps',
      difference: { method: 'paired_t' },
    })
  })
  test('a small difference that is not significant is inconclusive, with the runs it needs', () => {
    const found = of(suite(4, ten('++', '+-', 6), ten('++', '+-', 4))).scopes?.these_cases
    expect(found).toMatchObject({ verdict: 'inconclusive', difference: { mean: 0.1 } })
    const needed = found?.needed_for_margin ?? 0
    expect(needed).toBeGreaterThan(10)
    expect(found?.sentence).toContain(
      `${needed} runs per case and configuration would find a difference of 10 points with 80% power.`,
    )
  })
  test('a design too small for any verdict says the fewest runs', () => {
    const found = of(suite(2, ['+++', '+++'], ['---', '---'])).scopes?.these_cases
    expect(found).toMatchObject({ verdict: 'inconclusive', difference: { mean: 1 } })
    expect(found?.sentence).toContain('it needs at least 3 runs per case and configuration.')
  })
  test.each([
    ['1 case × 4 runs: 2 of 70 permutations', 1, 4, 0.028571],
    ['1 case × 5 runs: 2 of 252', 1, 5, 0.007937],
    ['2 cases × 3 runs: 2 of 400', 2, 3, 0.005],
  ])('a few runs that all agree support no tiny p-value: %s', (_, cases, runs, p) => {
    const all = (mark: string) => Array.from({ length: runs }, () => mark)
    const { difference, verdict } = of(suite(cases, all('+'), all('-'))).scopes?.these_cases ?? {}
    expect(verdict).toBe('helps')
    expect(difference?.p_value).toBeCloseTo(p, 6)
  })
  test('adaptive stopping: the last interim analysis decides, with its own interval', () => {
    const until = (scores: string[], others: string[], finished: number) =>
      of(suite(4, scores, others), { statistics: { sequential: { maxRuns: 10, cases: 4, finished } } }).scopes
        ?.these_cases
    const found = until(['+', '+'], ['-', '-'], 2)
    expect(found).toMatchObject({
      verdict: 'helps',
      difference: { mean: 1, method: 'repeated_interval', p_method: 'group_sequential', n_runs: 16 },
    })
    expect(found?.difference.ci_low).toBeGreaterThan(0)
    expect(found?.difference.p_value).toBeLessThan(0.05)
    const early = until(['+', '+'], ['-', '+'], 2) // the fixed-size test has p = 0.04, but eight more blocks may follow
    expect(early).toMatchObject({ verdict: 'inconclusive', difference: { p_value: null, p_method: null } })
    const ties = until(['+', '-', '+', '-'], ['+', '-', '+', '-'], 4)
    expect(ties).toMatchObject({
      verdict: 'inconclusive',
      rule: 'stopped early: more runs were unlikely to show a difference',
      difference: { mean: 0, p_value: 1 },
    })
    const easy = until(['+', '+', '+', '+'], ['+', '+', '+', '+'], 4)
    expect(easy).toMatchObject({ verdict: 'too_easy', difference: { mean: 0, p_value: 1 } })
  })
  test('adaptive stopping: nothing is tested before the first block is complete', () => {
    const sequential = { maxRuns: 10, cases: 4, finished: 0 }
    const found = of(pair(1, ['+'], ['-']), { statistics: { sequential } }).scopes?.these_cases
    expect(found).toMatchObject({
      verdict: 'inconclusive',
      difference: { mean: null, p_value: null },
      sentence: 'Inconclusive: the first block of runs is not complete, so nothing is tested.',
    })
  })
  test('adaptive stopping: similar cases have an interval, no test and no verdict', () => {
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
      rule: expect.stringContaining('interim analyses ended the runs'),
      needed_for_margin: null,
    })
    expect(looked?.cases_like_these.sentence).toContain('+89 points, 95% CI [77, 100] (12 cases); no verdict, because')
  })
  test('one configuration has no scopes; no common case is not comparable', () => {
    expect(of(arm(1, 'with_skill', ['+-']), { baseline: null }).scopes).toBeNull()
    const apart = of([...arm(1, 'with_skill', ['+-']), ...arm(2, 'without_skill', ['+-'])])
    expect(apart.unpaired_cases).toEqual([1, 2])
    expect(apart.scopes?.these_cases).toMatchObject({
      verdict: 'not_comparable',
      difference: { mean: null, p_value: null, n_cases: 0 },
    })
    expect(of([]).scopes?.these_cases.verdict).toBe('not_comparable')
  })
  test('a case graded in one configuration only is left out, and the sentence says so', () => {
    const found = of([...suite(4, ten('++', '+-', 7), ten('++', '--', 4)), ...arm(5, 'with_skill', ['--'])])
    expect(found.unpaired_cases).toEqual([5])
    expect(found.scopes?.these_cases.sentence).toContain(
      '+45 points, 95% CI [27, 63], p < 0.001 (4 cases × 10 runs; left out: 1 case graded in one configuration only)',
    )
  })
  test('known noise enters the notes', () => {
    const noise = { calibration: { difference: 0.01, floor: 0.06, n_runs: 40 }, grading: null }
    const found = made(suite(2, ['++', '+-'], ['+-', '--']), { statistics: { noise } })
    expect(found.statistics?.noise).toEqual(noise)
    expect(confidenceNotes(found)).toContain('Noise: the baseline differs from itself by up to 6 points.')
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
    expect(classifyIndicator({ text }, true)).toBe(rule)
    expect(classifyIndicator({ text }, false)).toBeNull()
    expect(classifyIndicator({ text, indicator: true }, false)).toBe('author')
    expect(classifyIndicator({ text, indicator: false }, true)).toBeNull()
  })
  test('are shown, named in the notes, and left out of the lift', () => {
    const statements = ['The agent read SKILL.md', 'The total is 1284.50']
    const lines = suite(4, ['++', '++', '++'], ['-+', '-+', '-+']).map((line) => ({ ...line, statements }))
    const found = made(lines)
    expect(found.run_summary.delta?.pass_rate).toBe('+0.50')
    expect(found.statistics?.scopes?.these_cases.difference.mean).toBe(0)
    expect(found.statistics?.expectations[0]).toMatchObject({ indicator: 'skill_read', discrimination: 1 })
    expect(confidenceNotes(found)).toContain(
      'Pass rates leave out 4 indicators: only runs with the skill can pass them.',
    )
    // without the rule the same runs differ by 50 points
    const plain = suite(4, ['++', '++', '++'], ['-+', '-+', '-+'])
    expect(of(plain).scopes?.these_cases.difference.mean).toBe(0.5)
    expect(confidenceNotes(made(plain)).join(' ')).not.toContain('leave out')
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
    const judge = { pooled, byConfiguration: null }
    const found = of(suite(4, ['+-', '++'], ['--', '+-']), { statistics: { judge } })
    expect(found.judge_difference?.candidate_mean).toBeCloseTo((0.75 + 0.85 - 1) / 0.75, 6)
    expect(found.judge_difference?.mean).toBeCloseTo(0.5 / 0.75, 6)
    expect(found.judge_difference?.errors).toBe('pooled')
    const perfect = { sensitivity: 1, specificity: 1, positives: 50, negatives: 50 }
    const own = { pooled, byConfiguration: { with_skill: perfect, without_skill: pooled } }
    const each = of(suite(4, ['+-', '++'], ['--', '+-']), { statistics: { judge: own } })
    expect(each.judge_difference).toMatchObject({
      candidate_mean: 0.75,
      mean: expect.closeTo(0.75 - (0.25 + 0.85 - 1) / 0.75, 6),
      errors: 'by_configuration',
    })
    expect(of(suite(4, ['+-'], ['--'])).judge_difference).toBeUndefined()
  })
  describe('reused runs', () => {
    const reused = (hours: number, benchmarkName = 'old') => ({
      cached_from: {
        benchmark: benchmarkName,
        at: new Date(Date.parse('2026-01-15T10:30:00Z') - hours * 3.6e6).toISOString(),
      },
      ended_at: '2026-01-15T10:30:00.000Z',
    })
    const fresh = { ended_at: '2026-01-15T10:30:00.000Z' }
    const withRecords = (recordOf: (line: Line) => Record<string, unknown>, runs = 4) =>
      suite(6, ten('++', '--', 6).slice(0, runs), ten('++', '--', 3).slice(0, runs)).map((line) => ({
        ...line,
        seconds: (line.arm === 'with_skill' ? 20 : 10) + line.run,
        tokens: 1000 + 100 * line.run,
        record: recordOf(line),
      }))
    test('of another hour: their times and prices are not compared, their tokens are', () => {
      const at = (hours: number) =>
        of(withRecords(({ arm: name }) => (name === 'with_skill' ? fresh : reused(hours)))).ratios
      expect(at(3)).toMatchObject({ time_seconds: null, cost_usd: null, tokens: { ratio: 1 } })
      expect(at(0.5).time_seconds?.ratio).toBeGreaterThan(1.5)
      expect(of(withRecords(() => reused(3))).ratios.time_seconds?.ratio).toBeGreaterThan(1.5)
    })
    test('more runs beside reused ones of both configurations are a second look, at half the level', () => {
      const grown = made(withRecords(({ run }) => (run <= 2 ? reused(3) : fresh)))
      expect(grown.statistics?.alpha).toBe(0.025)
      expect(grown.reused?.looks).toBe(2)
      expect(grown.statistics?.scopes?.these_cases.sentence).toContain('97.5% CI')
      expect(toMarkdown(grown)).toContain('look 2 at the same runs: tested at 2.5%')
      const again = made(withRecords(({ run }) => (run <= 1 ? reused(9, 'older') : run <= 2 ? reused(3) : fresh)))
      expect([again.statistics?.alpha, again.reused?.looks]).toEqual([0.0125, 3])
    })
    test.each<[string, (line: Line) => Record<string, unknown>]>([
      ['a new version of the skill', ({ arm: name }) => (name === 'with_skill' ? fresh : reused(3))],
      ['a failed run in the middle that ran again', ({ run }) => (run === 2 ? fresh : reused(3))],
      ['a last run of few cases that ran again', ({ run, evalId }) => (run === 4 && evalId < 3 ? fresh : reused(3))],
      ['nothing new', () => reused(3)],
    ])('control: %s is no second look', (_what, recordOf) => {
      const found = made(withRecords(recordOf))
      expect([found.statistics?.alpha, found.reused?.looks]).toEqual([0.05, undefined])
    })
  })
  test('cases of one arm alone are in no corrected difference', () => {
    const lone = suite(2, ['++'], ['--'])
      .filter(({ evalId, arm }) => evalId === 1 || arm === 'with_skill')
      .map((line) => (line.evalId === 1 ? line : { ...line, verdicts: '--' }))
    const found = of(lone, { statistics: { judge: { pooled, byConfiguration: null } } })
    expect(found.judge_difference?.mean).toBe(1)
    const one = suite(1, ['++'], ['--']).filter(({ arm }) => arm === 'with_skill')
    expect(of(one, { statistics: { judge: { pooled, byConfiguration: null } } }).judge_difference).toBeNull()
  })
  describe('a judge that favours a configuration', () => {
    const fond = { sensitivity: 0.9, specificity: 0.55, positives: 60, negatives: 60 }
    const fair = { sensitivity: 0.9, specificity: 0.95, positives: 60, negatives: 60 }
    const favours = { configuration: 'with_skill', pValue: 0.002 }
    const byConfiguration = { with_skill: fond, without_skill: fair }
    const lines = suite(8, ten('++', '--', 6), ten('++', '--', 3))
    const judged = of(lines).scopes
    test('the corrected difference is the headline, and what the judge says stands below it', () => {
      const benchmarkOf = made(lines, { statistics: { judge: { pooled, byConfiguration, favours } } })
      const { scopes, judge_difference: corrected, price } = benchmarkOf.statistics ?? {}
      expect(judged?.these_cases.verdict).toBe('helps')
      expect(scopes?.these_cases.difference).toMatchObject({
        mean: corrected?.mean,
        ci_low: corrected?.ci_low,
        candidate_mean: expect.closeTo((0.6 + 0.55 - 1) / 0.45, 6),
        baseline_mean: expect.closeTo((0.3 + 0.95 - 1) / 0.85, 6),
        method: 'judge_corrected',
      })
      expect(scopes?.these_cases.verdict).toBe('inconclusive')
      expect(scopes?.these_cases.difference.p_value).toBeGreaterThan(0.05)
      expect(scopes?.these_cases.sentence).toMatch(/^Inconclusive: pass rate 33% .* corrected for the judge's errors\)/)
      expect(corrected?.as_judged).toMatchObject({ mean: judged?.these_cases.difference.mean })
      expect(scopes?.cases_like_these).toMatchObject({ verdict: 'inconclusive', difference: { p_value: null } })
      expect(price).toMatchObject({ verdict: 'inconclusive', rule: 'the judge favours with_skill' })
      expect(toMarkdown(benchmarkOf)).toContain(
        '+4 points, 95% CI \\[-38, 46\\], p = 0.86 (8 cases × 10 runs; corrected',
      )
    })
    test('without labels enough to correct it there is no verdict', () => {
      const { scopes, ...found } = of(lines, { statistics: { judge: { pooled, byConfiguration: null, favours } } })
      expect(found.judge_difference).toBeNull()
      expect(scopes?.these_cases).toMatchObject({
        verdict: 'inconclusive',
        difference: { ci_low: null, p_value: null },
      })
      expect(scopes?.these_cases.sentence).toContain('The judge favours runs with skill (p = 0.002)')
      expect(scopes?.cases_like_these.verdict).toBe('inconclusive')
    })
    test('nor with a judge that guesses in one configuration: more labels would not help', () => {
      const guesses = { sensitivity: 0.5, specificity: 0.4, positives: 60, negatives: 60 }
      const judge = { pooled, byConfiguration: { with_skill: guesses, without_skill: fair }, favours }
      const { these_cases: own } = of(lines, { statistics: { judge } }).scopes ?? {}
      expect(own?.sentence).toContain('it is not better than chance in one configuration')
      expect(own?.difference.p_value).toBeNull()
    })
    test('control: errors that do not differ leave the headline as it is', () => {
      const found = of(lines, { statistics: { judge: { pooled, byConfiguration } } })
      expect(found.scopes?.these_cases).toEqual(judged?.these_cases)
      expect(found.judge_difference?.as_judged).toBeUndefined()
    })
  })
  describe('where code decides a part', () => {
    const judge = { pooled, byConfiguration: null }
    /** The first statement by the judge, the second by code. */
    const mixed = (lines: Line[], by: readonly string[] = ['judge', 'check:contains']) =>
      lines.map((line) => {
        const expectations = [...(line.verdicts ?? '')].map((mark, index) => ({
          ...{ text: `Statement ${index + 1}`, passed: mark === '+', evidence: 'e', decided_by: by[index] },
        }))
        return { ...line, grading: { expectations } }
      })
    const judgeOf = (lines: Line[]) => of(lines, { statistics: { judge } }).judge_difference
    test('the part of the judge alone is corrected', () => {
      const found = judgeOf(mixed(suite(4, ['+-', '++'], ['--', '+-'])))
      // judged: all met; by code: half
      const half = 0.5 * ((0.5 + 0.85 - 1) / 0.75)
      expect(found).toMatchObject({
        candidate_mean: 0.5 * 1 + 0.5 * 0.5,
        baseline_mean: expect.closeTo(half, 6),
      })
    })
    test('code alone is corrected by nothing', () => {
      const code = judgeOf(mixed(suite(4, ['+-', '++'], ['--', '+-']), ['check:contains', 'timeout']))
      expect(code).toMatchObject({ candidate_mean: 0.75, mean: 0.5 })
    })
    test('a judge that guesses corrects no arm', () => {
      const chance = { sensitivity: 0.5, specificity: 0.5, positives: 50, negatives: 50 }
      const lines = mixed(suite(4, ['+-'], ['--']))
      const found = of(lines, { statistics: { judge: { pooled: chance, byConfiguration: null } } })
      expect(found.judge_difference).toBeNull()
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
          const [a, b] = [one.scopes?.[scope], other.scopes?.[scope]]
          expect(b?.verdict).toBe(a?.verdict)
          expect(b?.difference.p_value ?? 0).toBeCloseTo(a?.difference.p_value ?? 0, 5)
          expect(b?.difference.ci_low ?? 0).toBeCloseTo(a?.difference.ci_low ?? 0, 5)
        }
      }),
    )
  })
  test('swapped configurations turn the sign and the verdict', () => {
    const turned = { helps: 'hurts', hurts: 'helps' } as Record<string, string>
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
          expect(b.verdict).toBe(turned[a.verdict] ?? a.verdict)
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
