/** The interim analyses of adaptive stopping: a group-sequential permutation test of the pairs, with stops for futility and for no difference. */
import { normalQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean } from '../numbers/moments.ts'
import type { CaseScores } from '../scores/case_scores.ts'
import type { Sequential, StatisticsOptions } from '../statistics_options.ts'
import type { PermutationPaths } from '../tests/permutation_paths.ts'
import { dealGroup, findCritical, rejectPaths, startPaths, tailChance } from '../tests/permutation_paths.ts'
import type { LookSchedule, PairsSoFar } from './look_schedule.ts'
import { leastPredictivePower, mostDealt, predictivePower, scheduleLooks, spendAlpha } from './look_schedule.ts'

export interface InterimAnalysis {
  blocks: number
  pairs: number
  wins: number
  losses: number
  /** NaN without a pair. */
  candidateMean: number
  baselineMean: number
  interval: Interval
  /** Over all analyses so far; null while it is open. */
  pValue: number | null
  predictivePower: number | null
  status: 'open' | 'significant' | 'no_difference' | 'futile' | 'max_runs'
}

type Design = Pick<StatisticsOptions, 'alpha' | 'margin'> & { sequential: Sequential }

/** The fewest units in a score of 1 that every score is a whole number of; scores that need more than `most` are rounded to it. */
function findUnits(scores: readonly number[], most: number): number {
  const isWhole = (units: number) => scores.every((score) => Math.abs(score * units - toUnits(score, units)) < 1e-6)
  for (let units = 1; units < most; units += 1) if (isWhole(units)) return units
  return most
}

/** The analyses that the finished blocks allow, up to the one that stops the benchmark. */
export function analyzeBlocks(cases: readonly CaseScores[], design: Design): InterimAnalysis[] {
  const { sequential, alpha } = design
  const finished = Math.min(sequential.finished, sequential.maxRuns)
  const byCase = pairByBlock(cases, finished)
  const scores = byCase.flat(2).flatMap((pair) => [pair.candidate, pair.baseline])
  // in large benchmarks fewer, for the time that it takes
  const units = findUnits(scores, sequential.maxRuns * sequential.cases > 400 ? 12 : 120)
  const look = { units, design, schedule: scheduleLooks(sequential, alpha) }
  const found: InterimAnalysis[] = []
  let [paths, from] = [startPaths, 0]
  for (const blocks of look.schedule.looks.filter((one) => one <= finished)) {
    paths = dealBlocks(paths, byCase, { ...look, from, to: blocks })
    const pairs = byCase.flatMap((own) => own.slice(0, blocks).flat())
    const { critical, ...analysis } = analyze(pairs, { ...look, blocks, paths })
    found.push(analysis)
    if (analysis.status !== 'open') break
    if (critical !== null) paths = rejectPaths(paths, critical)
    from = blocks
  }
  return found
}

interface DealtBlocks {
  units: number
  from: number
  to: number
}

function dealBlocks(paths: PermutationPaths, byCase: readonly ScorePair[][][], dealt: DealtBlocks): PermutationPaths {
  const { from, to, units } = dealt
  let after = paths
  for (const own of byCase) {
    for (let start = from; start < to; start += mostDealt) {
      const group = own.slice(start, Math.min(to, start + mostDealt)).flat()
      const arm = (side: keyof ScorePair) => group.map((pair) => toUnits(pair[side], units))
      after = dealGroup(after, arm('candidate'), arm('baseline'))
    }
  }
  return after
}

function toUnits(score: number, units: number): number {
  return Math.round(score * units)
}

interface Look {
  blocks: number
  paths: PermutationPaths
  /** Of the paths, in a score of 1. */
  units: number
  design: Design
  schedule: LookSchedule
}

function analyze(pairs: readonly ScorePair[], look: Look): InterimAnalysis & { critical: number | null } {
  const { blocks, paths, units } = look
  const { alpha, margin, sequential } = look.design
  const spent = spendAlpha(alpha, blocks / sequential.maxRuns)
  const critical = findCritical(paths, spent)
  const lead = pairs.reduce((sum, pair) => sum + toUnits(pair.candidate, units) - toUnits(pair.baseline, units), 0)
  const found = summarizePairs(pairs, look)
  const power = predictivePower(found)
  const p = tailChance(paths, lead)
  const atEnd = estimateInterval(found, alpha, null)
  const status = ((): InterimAnalysis['status'] => {
    if (critical !== null && Math.abs(lead) >= critical) return 'significant'
    if (p > alpha && atEnd.low > -margin && atEnd.high < margin) return 'no_difference'
    if (found.remaining === 0) return 'max_runs'
    return power !== null && power < leastPredictivePower ? 'futile' : 'open'
  })()
  // halfway to the next smaller difference, so that 0 is outside
  const least = critical === null || status !== 'significant' ? null : (critical - 0.5) / units
  const isEarly = status === 'open' || status === 'significant'
  return {
    blocks,
    pairs: pairs.length,
    wins: pairs.filter(({ candidate, baseline }) => candidate > baseline + near).length,
    losses: pairs.filter(({ candidate, baseline }) => candidate < baseline - near).length,
    candidateMean: sampleMean(pairs.map((pair) => pair.candidate)),
    baselineMean: sampleMean(pairs.map((pair) => pair.baseline)),
    interval: isEarly ? estimateInterval(found, spent, least) : atEnd,
    pValue: status === 'open' ? null : p,
    predictivePower: power,
    status,
    critical,
  }
}

const near = 1e-9

function summarizePairs(pairs: readonly ScorePair[], { blocks, paths, units, design, schedule }: Look): PairsSoFar {
  const { maxRuns, cases } = design.sequential
  // in the units of the test, so that the interval excludes 0 exactly where the test rejects
  const differences = pairs.map(
    ({ candidate, baseline }) => (toUnits(candidate, units) - toUnits(baseline, units)) / units,
  )
  return {
    pairs: pairs.length,
    unequal: differences.filter((one) => Math.abs(one) > near).length,
    sum: differences.reduce((sum, one) => sum + one, 0),
    squares: differences.reduce((sum, one) => sum + one ** 2, 0),
    variance: paths.variance / units ** 2,
    group: schedule.group,
    remaining: (maxRuns - blocks) * cases,
    alpha: design.alpha,
  }
}

/**
 * The repeated confidence interval (Jennison and Turnbull 1989) at the level of this analysis; the variance is enlarged, so that it has a
 * width where all pairs are equal. It excludes 0 if the sum is significant, at least `least`, and only then.
 */
function estimateInterval({ pairs, sum, squares }: PairsSoFar, level: number, least: number | null): Interval {
  if (pairs === 0) return { low: -1, high: 1 }
  const [mean, z] = [sum / pairs, normalQuantile(1 - level / 2)]
  const half = (z * Math.sqrt(Math.max(0, squares - pairs * mean ** 2) + z ** 2)) / pairs
  const width = least === null ? Math.max(half, Math.abs(mean)) : Math.min(half, least / pairs)
  return clipInterval({ low: mean - width, high: mean + width }, [-1, 1])
}

interface ScorePair {
  candidate: number
  baseline: number
}

/** For each case, what each block from 1 to `last` has: its pair, or nothing where a run has no score. */
export function pairByBlock(cases: readonly CaseScores[], last: number): ScorePair[][][] {
  return cases.map((one) => {
    const pairs = pairScores(one)
    return Array.from({ length: last }, (_, at) => pairs.get(at + 1) ?? []).map((pair) => [pair].flat())
  })
}

function pairScores(one: CaseScores): Map<number, ScorePair> {
  const numberOf = (side: 'candidate' | 'baseline', at: number) => one.numbers?.[side][at] ?? at + 1
  const others = new Map(one.baseline.map((score, at) => [numberOf('baseline', at), score]))
  return new Map(
    one.candidate.flatMap((candidate, at) => {
      const baseline = others.get(numberOf('candidate', at))
      return baseline === undefined ? [] : [[numberOf('candidate', at), { candidate, baseline }] as const]
    }),
  )
}
