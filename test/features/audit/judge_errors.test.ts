/** The judge's errors from people's labels: weights of an uneven sample, dependence within a run, and the coverage of the corrected difference. */
import { describe, expect, test } from 'vitest'
import {
  type AuditedDecision,
  clusteredShare,
  estimateJudgeErrors,
  estimateJudgeSample,
  labelsToTell,
} from '../../../src/features/audit/judge_errors.ts'
import { createSeededRandom, type Random } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleMean } from '../../../src/phases/4-report/stats/numbers/moments.ts'
import { correctDifference } from '../../../src/phases/4-report/stats/scores/judge_corrections.ts'
import { moderatedT } from '../../../src/phases/4-report/stats/tests/moderated_t.ts'

type Cell = [passed: boolean, met: boolean | null, count: number]

function decisions(cells: readonly Cell[], configuration = 'with_skill'): AuditedDecision[] {
  return cells.flatMap(([passed, met, count], row) =>
    Array.from({ length: count }, (_, index) => {
      const id = `${configuration}-${row}-${index}`
      return { id, run_id: id, configuration, passed, met }
    }),
  )
}

describe('weights', () => {
  test('a fail looked at ten times as often does not count ten times', () => {
    const even = estimateJudgeSample(
      decisions([
        [true, true, 90],
        [true, false, 10],
        [false, false, 90],
        [false, true, 10],
      ]),
    )
    const uneven = estimateJudgeSample(
      decisions([
        [true, true, 9],
        [true, false, 1],
        [true, null, 90],
        [false, false, 90],
        [false, true, 10],
      ]),
    )
    expect(uneven?.specificity).toBeCloseTo(even?.specificity ?? 0, 10)
    expect(uneven?.sensitivity).toBeCloseTo(even?.sensitivity ?? 0, 10)
    // the one pass that was wrong stands for ten
    expect(uneven?.negatives).toBeLessThan(60)
  })
  test('nor does a configuration looked at more often', () => {
    const few = (times: number): Cell[] => [
      [true, true, 8 * times],
      [true, false, 2 * times],
      [false, false, 5 * times],
    ]
    const other: Cell[] = [
      [true, true, 20],
      [false, true, 20],
      [false, false, 60],
    ]
    const whole = estimateJudgeSample([...decisions(few(10)), ...decisions(other, 'b')])
    const part = estimateJudgeSample([
      ...decisions([...few(1), [true, null, 90], [false, null, 45]]),
      ...decisions(other, 'b'),
    ])
    expect(part?.sensitivity).toBeCloseTo(whole?.sensitivity ?? 0, 10)
    expect(part?.specificity).toBeCloseTo(whole?.specificity ?? 0, 10)
  })
})

describe('values of one run', () => {
  const values = (clusters: number, size: number, ones: (cluster: number) => number) =>
    Array.from({ length: clusters * size }, (_, at) => {
      const cluster = Math.floor(at / size)
      return { cluster: `${cluster}`, value: at % size < ones(cluster) ? 1 : 0, weight: 1 }
    })
  test.each<[string, ReturnType<typeof values>, number, number]>([
    ['each of a run of its own: nearly all count', values(40, 1, (c) => (c < 30 ? 1 : 0)), 38.9, 40],
    ['all runs alike inside: about one a run', values(10, 5, (c) => (c < 7 ? 5 : 0)), 6, 12],
    ['no run unlike another: no more than there are', values(10, 5, () => 4), 50, 50],
    ['a single run: one', values(1, 20, () => 15), 1, 1],
  ])('%s', (_what, some, least, most) => {
    const { effective = 0 } = clusteredShare(some) ?? {}
    expect(effective).toBeGreaterThanOrEqual(least)
    expect(effective).toBeLessThanOrEqual(most)
  })
})

interface World {
  cases: number
  runs: number
  statements: number
  gain: number
  /** Share of the decisions that people look at. */
  looked: number
  judge: Record<'candidate' | 'baseline', { sensitivity: number; specificity: number }>
  /** How far a judge's errors move together in a run. */
  mood: number
}

function drawDecisions(world: World, random: Random) {
  const decided: (AuditedDecision & { truth: boolean })[] = []
  const scores = Array.from({ length: world.cases }, (_, evalId) => {
    const low = 0.15 + 0.5 * random()
    const drawArm = (arm: keyof World['judge'], chance: number) =>
      Array.from({ length: world.runs }, (_run, run) => {
        const mood = world.mood * (2 * random() - 1)
        const passes = Array.from({ length: world.statements }, (_statement, at) => {
          const truth = random() < chance
          const { sensitivity, specificity } = world.judge[arm]
          const passed = random() < (truth ? sensitivity + mood : 1 - specificity + mood)
          const run_id = `${evalId} ${arm} ${run}`
          decided.push({ id: `${run_id} ${at}`, run_id, configuration: arm, passed, met: null, truth })
          return passed ? 1 : 0
        })
        return sampleMean(passes)
      })
    return { candidate: drawArm('candidate', low + world.gain), baseline: drawArm('baseline', low) }
  })
  for (const one of decided) if (random() < world.looked) one.met = one.truth
  return { decided, scores }
}

/** One benchmark with an audit; null: its errors can't be corrected. */
function drawBenchmark(world: World, random: Random) {
  const { decided, scores } = drawDecisions(world, random)
  const errors = estimateJudgeErrors(decided)
  const judged = moderatedT(scores, { alpha: 0.05 })
  if (errors === null || judged === null) return null
  const part = (arm: keyof World['judge']) => {
    const judgedMet = sampleMean(scores.map((one) => sampleMean(one[arm])))
    return { judged: 1, judgedMet, otherMet: 0, judgedRuns: world.cases * world.runs, otherRuns: 0 }
  }
  const parts = { candidate: part('candidate'), baseline: part('baseline') }
  const arms = { candidate: 'candidate', baseline: 'baseline' }
  return correctDifference({ parts, judged, errors, arms, alpha: 0.05 })
}

function coverage(world: World, draws = 250): number {
  const random = createSeededRandom(11)
  const found = Array.from({ length: draws }, () => drawBenchmark(world, random)).flatMap((one) => one ?? [])
  expect(found.length).toBeGreaterThan(0.9 * draws)
  return found.filter(({ low, high }) => low <= world.gain && world.gain <= high).length / found.length
}

describe('coverage of the corrected difference', () => {
  const alike = { sensitivity: 0.9, specificity: 0.85 }
  const equal = { candidate: alike, baseline: alike }
  const unequal = {
    candidate: { sensitivity: 0.95, specificity: 0.65 },
    baseline: { sensitivity: 0.8, specificity: 0.9 },
  }
  const usual = { cases: 10, runs: 3, statements: 4, gain: 0.3, judge: equal, looked: 0.15, mood: 0 }
  test.each<[string, World]>([
    ['few labels, taken together', usual],
    ['no difference', { ...usual, gain: 0 }],
    ['very few labels of many runs', { ...usual, cases: 20, runs: 8, gain: 0.35, looked: 0.03 }],
    ['errors that move together in a run', { ...usual, mood: 0.1 }],
    ['enough labels for each configuration, which the judge treats alike', { ...usual, runs: 10, looked: 0.3 }],
    ['and which it does not treat alike', { ...usual, runs: 10, looked: 0.3, judge: unequal }],
    ['nor alike in each run', { ...usual, gain: 0, runs: 10, looked: 0.3, judge: unequal, mood: 0.05 }],
  ])('%s: at least 95% within two standard errors', (_what, world) => {
    expect(coverage(world)).toBeGreaterThan(0.95 - 2 * Math.sqrt((0.95 * 0.05) / 250))
  })
  test('errors that differ, from too few labels: the difference is invented, as docs/how-to/audit.md warns', () =>
    expect(coverage({ ...usual, gain: 0, judge: unequal })).toBeLessThan(0.8))
})

describe('a judge that favours a configuration', () => {
  const alike = { sensitivity: 0.9, specificity: 0.85 }
  const world = { cases: 10, runs: 8, statements: 4, gain: 0.2, judge: { candidate: alike, baseline: alike } }
  const favoured = (one: World) => {
    const random = createSeededRandom(5)
    return Array.from({ length: 400 }, () => estimateJudgeErrors(drawDecisions(one, random).decided)?.favours ?? null)
  }
  test.each([
    ['many labels', { ...world, looked: 0.5, mood: 0 }],
    ['few labels', { ...world, looked: 0.1, mood: 0 }],
    ['errors that move together in a run', { ...world, looked: 0.5, mood: 0.1 }],
  ])('none: found in at most 5% within two standard errors (%s)', (_what, one) => {
    expect(favoured(one).filter((found) => found !== null).length / 400).toBeLessThan(
      0.05 + 2 * Math.sqrt(0.0475 / 400),
    )
  })
  test('20 points: the number of labels that the audit names finds it four times in five', () => {
    const fond = { candidate: { sensitivity: 0.9, specificity: 0.65 }, baseline: alike }
    const one = { ...world, runs: 20, statements: 4, judge: fond, looked: 1, mood: 0 }
    const random = createSeededRandom(6)
    const found = Array.from({ length: 200 }, () => {
      const { decided } = drawDecisions(one, random)
      const unlabelled = decided.map((decision) => ({ ...decision, met: null as boolean | null }))
      const few = decided.slice(0, 20).map(({ truth: met, ...decision }) => ({ ...decision, met }))
      const errors = estimateJudgeErrors([...few, ...unlabelled.slice(20)])
      const needed = (errors && labelsToTell([...few, ...unlabelled.slice(20)], errors)) ?? 60
      const left: Record<string, number> = {}
      for (const [at, { configuration, truth }] of decided.entries()) {
        const kind = `${configuration} ${truth}`
        left[kind] = (left[kind] ?? needed) - 1
        const row = unlabelled[at]
        if (row !== undefined && left[kind] >= 0) row.met = truth
      }
      return estimateJudgeErrors(unlabelled)?.favours?.configuration ?? null
    })
    expect(found.filter((name) => name === 'candidate').length / 200).toBeGreaterThan(0.8 - 2 * Math.sqrt(0.16 / 200))
    expect(found).not.toContain('baseline')
  })
})
