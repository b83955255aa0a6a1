/** The pass rates of the headline: over the cases that were graded in both configurations, each case counted once. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { armNames, findArmSummary, findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { readScopeRates } from '../stats/scopes/verdict_sentences.ts'

export interface ArmRates {
  candidate: number
  baseline: number
}

/** null: one configuration, or no case was graded in both. */
export function findHeadlineRates(benchmark: Benchmark): ArmRates | null {
  const { candidate, baseline } = findArms(benchmark)
  if (candidate === null || baseline === null) return null
  const { statistics } = benchmark
  if (statistics?.scopes) return readScopeRates(statistics.scopes.these_cases.difference, statistics)
  if (isSummaryOnly(benchmark)) {
    const [own, other] = [candidate, baseline].map((name) => findArmSummary(benchmark, name)?.pass_rate.mean ?? 0)
    return { candidate: own ?? 0, baseline: other ?? 0 }
  }
  const pairs = readCaseRows(benchmark).flatMap(({ arms }) => {
    const [own, other] = [arms[candidate]?.pass_rate, arms[baseline]?.pass_rate]
    return own && other ? [{ candidate: own.mean, baseline: other.mean }] : []
  })
  if (pairs.length === 0) return null
  const meanOf = (side: keyof ArmRates) => sampleMean(pairs.map((pair) => pair[side]))
  return { candidate: meanOf('candidate'), baseline: meanOf('baseline') }
}

/** Files of other tools may sum up two configurations and list the runs of one, or none; then only the summary can be compared. */
export function isSummaryOnly(benchmark: Benchmark): boolean {
  const { statistics, runs } = benchmark
  const names = armNames(findArms(benchmark))
  const isListed = (name: string) => runs.some(({ configuration }) => configuration === name)
  return (
    statistics === undefined &&
    names.length === 2 &&
    names.every((name) => findArmSummary(benchmark, name) !== null) &&
    !names.every(isListed)
  )
}
