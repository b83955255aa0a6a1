/** The verdict with a price, why there may be none, the gate on it, and the components of the uncertainty. */
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { judgeGate } from '../../../../src/phases/4-report/gate/check_gates.ts'
import { parseGate } from '../../../../src/phases/4-report/gate/parse_gate.ts'
import { toMarkdown } from '../../../../src/phases/4-report/text/markdown.ts'
import { arm, inputOf, type Line } from '../fixture.ts'

interface Side {
  verdicts: string
  usd: number | null
  tokens?: number | null
  /** Share by which the runs' prices differ from each other. */
  spread?: number
}

/** `runs` of each case; the prices of a side go up and down by its spread. */
function linesOf(evalId: number, name: Line['arm'], side: Side, runs: number): Line[] {
  const { verdicts, usd, tokens = 1000, spread = 0.1 } = side
  return Array.from({ length: runs }, (_, at) => {
    const cost = usd === null ? null : { usd: usd * (1 + spread * (at % 2 === 0 ? 1 : -1)), source: 'agent' }
    return { evalId, arm: name, run: at + 1, verdicts, tokens, record: { cost } }
  })
}

function benchOf(
  own: Side,
  other: Side,
  { cases = 6, runs = 6, more = {} }: { cases?: number; runs?: number; more?: object } = {},
) {
  const lines = Array.from({ length: cases }, (_, at) => at + 1).flatMap((id) => [
    ...linesOf(id, 'with_skill', own, runs),
    ...linesOf(id, 'without_skill', other, runs),
  ])
  return aggregate(inputOf(lines, more))
}

const side = (verdicts: string, usd: number | null, more: Partial<Side> = {}): Side => ({ verdicts, usd, ...more })
const good = '+++-'
const poor = '+---'
const priceOf = ({ statistics }: Benchmark) => statistics?.price
const judged = (text: string, benchmark: Benchmark) => judgeGate(parseGate(text), benchmark)

describe('the four corners', () => {
  test.each<[string, Side, Side, string, boolean]>([
    ['higher rate, lower price', side(good, 0.02), side(poor, 0.04), 'better', true],
    ['higher rate, higher price', side(good, 0.04), side(poor, 0.02), 'better_but_dearer', false],
    ['the same rate, lower price', side('++++', 0.02), side('++++', 0.04), 'as_good_and_cheaper', true],
    ['the same rate, higher price', side('++++', 0.04), side('++++', 0.02), 'inconclusive', false],
    ['lower rate, lower price', side(poor, 0.02), side(good, 0.04), 'worse', false],
    ['equal prices that never vary', side(good, 0.02, { spread: 0 }), side(poor, 0.02, { spread: 0 }), 'better', true],
  ])('%s', (_, own, other, verdict, passes) => {
    const benchmark = benchOf(own, other, { cases: 12 })
    expect(priceOf(benchmark)?.verdict).toBe(verdict)
    expect(judged('worth', benchmark).passed).toBe(passes)
    expect(toMarkdown(benchmark)).toContain('With its price: ')
  })
  test('the interval of the ratio is the one that the other reports have', () => {
    for (const usd of [0.01, 0.033, 0.07]) {
      const { statistics } = benchOf(side(good, usd, { spread: 0.3 }), side(poor, 0.04), { cases: 5, runs: 4 })
      const { ratio, ci_low, ci_high } = statistics?.price ?? {}
      expect({ ratio, ci_low, ci_high }).toEqual({
        ratio: statistics?.ratios.cost_usd?.ratio,
        ci_low: statistics?.ratios.cost_usd?.ci_low,
        ci_high: statistics?.ratios.cost_usd?.ci_high,
      })
      expect(ci_low).toBeLessThan(ratio ?? 0)
    }
  })
  test('a smaller margin needs more: the loss is no longer ruled out', () => {
    const sides = [side('++++', 0.02), side('++++', 0.04)] as const
    const strict = benchOf(...sides, { cases: 12, more: { statistics: { margin: 0.01 } } })
    expect(priceOf(strict)?.verdict).toBe('inconclusive')
    expect(priceOf(strict)?.sentence).toContain('a loss of 1 point or more is not ruled out')
  })
})

describe('without a verdict, it says why', () => {
  const better = [side(good, 0.02), side(poor, 0.04)] as const
  test.each<[string, Benchmark, string]>([
    [
      'costs and tokens unknown on a side',
      benchOf({ ...better[0], usd: null, tokens: null }, better[1]),
      'With its price: no verdict, cost is unknown for 36 of 72 runs, tokens for 36.',
    ],
    [
      'one run',
      benchOf(...better, { runs: 1 }),
      'With its price: no verdict, the spread of a price needs two runs per case and configuration.',
    ],
    [
      'missing pairs',
      aggregate(inputOf([...arm(1, 'with_skill', [good, good]), ...arm(2, 'without_skill', [good, good])])),
      'With its price: no verdict, no case was graded in both configurations.',
    ],
    [
      'adaptive stopping',
      benchOf(...better, { more: { maxRuns: 6 } }),
      'With its price: no verdict, --until decided ends the runs by the pass rate, which biases a second test.',
    ],
  ])('%s', (_, benchmark, sentence) => {
    expect(priceOf(benchmark)).toMatchObject({ verdict: 'inconclusive', tests: [], ratio: null, sentence })
    expect(judged('worth', benchmark).passed).toBe(false)
  })
  test('unknown costs, known tokens: the price is in tokens; so it is where the cost is 0', () => {
    for (const usd of [null, 0]) {
      const benchmark = benchOf({ ...better[0], usd, tokens: 500 }, { ...better[1], usd, tokens: 900 })
      expect(priceOf(benchmark)).toMatchObject({ unit: 'tokens', verdict: 'better', ci_low: null })
      expect(priceOf(benchmark)?.sentence).toBe('With its price: better, tokens per run × 0.56 in all runs.')
    }
  })
  test('a calibration and an eval have none', () => {
    const lines = arm(1, 'with_skill', [good, good])
    expect(priceOf(aggregate(inputOf(lines, { baseline: null })))).toBeUndefined()
  })
})

describe('the gate worth', () => {
  const dearer = benchOf(side(good, 0.04), side(poor, 0.02), { cases: 12 })
  test('of a dearer skill takes a limit per point', () => {
    const most = priceOf(dearer)?.per_point?.at_most ?? 0
    expect(most).toBeGreaterThan(0.02 / 50)
    expect(judged(`worth <= ${most}`, dearer).passed).toBe(true)
    expect(judged(`worth <= ${most * 0.99}`, dearer).passed).toBe(false)
    expect(judged('worth<=$0.05 per point', dearer).passed).toBe(true)
    expect(judged('worth', dearer)).toMatchObject({ passed: false, message: expect.stringContaining('accept it with') })
  })
  test('a limit in dollars says nothing of tokens', () => {
    const tokens = benchOf(side(good, null, { tokens: 900 }), side(poor, null, { tokens: 500 }))
    expect(judged('worth <= 1', tokens)).toMatchObject({
      passed: false,
      message: expect.stringContaining('the price is in tokens, and the limit in dollars'),
    })
  })
  test('never passes where the baseline is not concurrent; the same runs of one time pass (control)', () => {
    const better = (at: string | null) => {
      const cached = at === null ? {} : { cached_from: { benchmark: 'old', at } }
      const lines = [1, 2, 3, 4, 5, 6].flatMap((id) => [
        ...linesOf(id, 'with_skill', side(good, 0.02), 6),
        ...linesOf(id, 'without_skill', side(poor, 0.04), 6).map((line) => ({
          ...line,
          record: { ...(line.record as object), ...cached },
        })),
      ])
      return aggregate(inputOf(lines))
    }
    expect(judged('worth', better(null)).passed).toBe(true)
    const old = better('2025-01-01T00:00:00.000Z')
    expect(judged('worth', old)).toMatchObject({ passed: false, message: expect.stringContaining('not concurrent') })
    expect(judged('worth <= 100', old).passed).toBe(false)
  })
  test.each(['worth == true', 'worth <= cheap', 'worth > 1', 'worth <= -1'])('%s is refused', (text) => {
    expect(() => parseGate(text)).toThrow(UserError)
  })
  test('an older benchmark has no verdict with a price', () => {
    const { price: _, ...older } = dearer.statistics ?? { price: undefined }
    const file = { ...dearer, statistics: older } as Benchmark
    expect(judged('worth', file)).toMatchObject({ passed: false, message: 'not in this benchmark' })
  })
})

describe('more cases or more runs?', () => {
  const varied = (verdicts: readonly string[][]) => {
    const lines = verdicts.flatMap((runs, at) => {
      const baseline = runs.map(() => '+---')
      return [...arm(at + 1, 'with_skill', runs), ...arm(at + 1, 'without_skill', baseline)]
    })
    return aggregate(inputOf(lines)).statistics?.variance
  }
  test('cases that differ much: the cases count, and few of them do as much as twice the runs', () => {
    const found = varied([
      ['++++', '++++', '+++-'],
      ['+---', '+---', '++--'],
      ['++++', '+++-', '++++'],
      ['+---', '----', '+---'],
    ])
    expect(found?.case_share).toBeGreaterThan(0.9)
    expect(found).toMatchObject({ runs_more: 3, cases_more: 1 })
    expect(found?.sentence).toContain(
      '1 more case (6 runs) narrows the interval as much as 3 more runs per case and configuration (24 runs).',
    )
  })
  test('cases that only their runs make different: twice the runs do as much as twice the cases', () => {
    const cases = [
      ['++++', '----', '++--'],
      ['++--', '++++', '----'],
      ['----', '++--', '++++'],
    ]
    expect(varied(cases)).toMatchObject({ case: 0, case_share: 0, runs_more: 3, cases_more: 3 })
  })
  test.each<[string, string[][], string]>([
    ['one case', [['++++', '+---']], 'the spread between cases needs two graded cases, not 1'],
    ['one run', [['++++'], ['+---']], 'a case has one run in a configuration'],
    [
      'all equal',
      [
        ['++--', '++--'],
        ['++--', '++--'],
      ],
      'nothing varies between cases or runs',
    ],
  ])('%s: no estimate, and why', (_, verdicts, why) => {
    const found = varied(verdicts)
    expect(found).toMatchObject({ case_share: null, runs_more: null, cases_more: null })
    expect(found?.sentence).toContain(why)
  })
})
