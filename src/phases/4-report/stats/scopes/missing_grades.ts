/** Withholds the verdict where runs without a grade, or repeated ones, could decide it, and bounds what they leave open. */
import type { BenchmarkRun, ExcludedRun } from '../../../../../schemas/benchmark.ts'
import type { MissingGrades, Scope } from '../../../../../schemas/benchmark_statistics.ts'
import type { OlderRuns } from '../../../../../schemas/older_runs.ts'
import { sum } from '../../../../base/totals.ts'
import {
  armNames,
  type BenchmarkArms,
  classifyArmPairing,
  describeArm,
  describeCandidate,
} from '../../benchmark/arms.ts'
import { notConcurrentSentence } from '../../benchmark/older_runs/withhold_verdict.ts'
import { formatPercent, formatWholePoints } from '../../text/format.ts'
import { sampleMean } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import type { ScoredCase } from '../scores/scored_runs.ts'

/** A planned run that is not in the rates. */
export type RunLeftOut = Pick<ExcludedRun, 'eval_id' | 'configuration' | 'reason'>

/** One of this many runs may be missing in a configuration: 5%. */
const oneIn = 20

/**
 * Whether the runs without a grade could decide a comparison of the groups. The same for runs that were repeated because the agent had
 * ended without an answer; a single one can be chance.
 */
function areTooManyOpen(groups: readonly { planned: number; missing: number; repeated?: number }[]): boolean {
  const [first] = groups
  return groups.some(
    ({ planned, missing, repeated = 0 }) =>
      missing !== first?.missing || missing * oneIn > planned || (repeated > 1 && repeated * oneIn > planned),
  )
}

const isRepeated = ({ result }: BenchmarkRun) => result.agent_crashes !== undefined

/**
 * null: as many runs have no grade in each configuration, and at most 5% of it, and at most 5% were repeated after the agent had ended
 * them. Only cases planned in each configuration count. The bounds are of the difference of the rates (of one configuration: of its rate),
 * each case counted once: every such run fails everything or passes everything.
 */
export function findMissingGrades(
  cases: readonly ScoredCase[],
  { runs, leftOut, arms }: { runs: readonly BenchmarkRun[]; leftOut: readonly RunLeftOut[]; arms: BenchmarkArms },
): MissingGrades | null {
  const names = armNames(arms)
  const missing = leftOut.filter(({ reason }) => reason !== 'ungraded' && reason !== 'quarantined')
  const places = new Set([...runs, ...missing].map((run) => `${run.configuration} ${run.eval_id}`))
  const isShared = ({ eval_id }: { eval_id: number }) => names.every((name) => places.has(`${name} ${eval_id}`))
  const counts = names.map((name) => {
    const isOwn = (run: RunLeftOut | BenchmarkRun) => run.configuration === name && isShared(run)
    const gone = missing.filter(isOwn).length
    const graded = runs.filter(isOwn)
    const repeated = graded.filter(isRepeated).length
    return { name, planned: graded.length + gone, missing: gone, ...(repeated > 0 && { repeated }) }
  })
  if (!areTooManyOpen(counts)) return null
  const bounds = boundRates(cases, { missing: missing.filter(isShared), arms })
  return {
    by_configuration: Object.fromEntries(counts.map(({ name, ...count }) => [name, count])),
    low: round(bounds.low, 6),
    high: round(bounds.high, 6),
  }
}

function boundRates(
  cases: readonly ScoredCase[],
  { missing, arms }: { missing: readonly RunLeftOut[]; arms: BenchmarkArms },
): { low: number; high: number } {
  const sides = arms.baseline === null ? (['candidate'] as const) : (['candidate', 'baseline'] as const)
  const ids = new Set([...cases.map(({ evalId }) => evalId), ...missing.map(({ eval_id }) => eval_id)])
  const bounds = [...ids].flatMap((id) => {
    const rates = sides.map((side) => {
      const scored = cases.find(({ evalId }) => evalId === id)?.runs[side] ?? []
      const settled = scored.filter(({ run }) => !isRepeated(run))
      const gone = missing.filter((run) => run.eval_id === id && run.configuration === arms[side]).length
      return boundMean(
        settled.map(({ share }) => share),
        gone + scored.length - settled.length,
      )
    })
    const [own, other] = rates
    if (!own || (sides.length > 1 && !other)) return []
    return other ? { low: own.low - other.high, high: own.high - other.low } : own
  })
  if (bounds.length === 0) return { low: arms.baseline === null ? 0 : -1, high: 1 }
  return { low: sampleMean(bounds.map(({ low }) => low)), high: sampleMean(bounds.map(({ high }) => high)) }
}

/** The mean if all missing scores are 0, and if they are 1; null: there are no scores. */
function boundMean(scores: readonly number[], missing: number): { low: number; high: number } | null {
  const count = scores.length + missing
  if (count === 0) return null
  return { low: sum(scores) / count, high: (sum(scores) + missing) / count }
}

/** The scope without a verdict if runs are missing; its numbers stay in any case. */
export function withoutMissingGrades(scope: Scope, missing: MissingGrades | null, sentence: string): Scope {
  if (missing === null) return scope
  const rule =
    'runs without a grade: their number differs between the configurations, or exceeds 5% of one; or over 5% of one were repeated'
  return { ...scope, verdict: 'incomplete', rule, sentence, needed_for_margin: null }
}

/**
 * "Incomplete: 3 of 24 runs with the skill and 0 of 24 without have no grade. The difference is between -8 and +17 points, depending on
 * them."
 */
export function missingGradesSentence(missing: MissingGrades, names: readonly string[]): string {
  const { by_configuration, low, high } = missing
  const range =
    Object.keys(by_configuration).length > 1
      ? `The difference is between ${formatWholePoints(low)} and ${formatWholePoints(high)} points`
      : `The pass rate is between ${formatPercent(low)} and ${formatPercent(high)}`
  const them = countOpen(missing) === 1 ? 'it' : 'them'
  return `Incomplete: ${missingRunsText(missing, names)}. ${range}, depending on ${them}.`
}

/**
 * "3 of 24 runs with v2 and 0 of 24 with v0 have no grade", or "… were repeated because the agent had ended them without an answer".
 * `names`: what follows the number of runs of each configuration.
 */
export function missingRunsText(missing: MissingGrades, names: readonly string[]): string {
  const some = Object.values(missing.by_configuration)
  const describe = (numbers: readonly number[], one: string, many: string) => {
    const counts = some.map(({ planned }, at) => {
      const runs = at > 0 ? '' : planned === 1 ? 'run' : 'runs'
      return [`${numbers[at]} of ${planned}`, runs, names[at] ?? ''].filter((word) => word !== '').join(' ')
    })
    return `${counts.join(' and ')} ${sum(numbers) === 1 ? one : many}`
  }
  const [gone, again] = [some.map((one) => one.missing), some.map(({ repeated = 0 }) => repeated)]
  const ended = 'repeated because the agent had ended without an answer'
  return [
    ...(sum(gone) > 0 || sum(again) === 0 ? [describe(gone, 'has no grade', 'have no grade')] : []),
    ...(sum(again) > 0 ? [describe(again, `was ${ended}`, `were ${ended}`)] : []),
  ].join('; ')
}

function countOpen({ by_configuration }: MissingGrades): number {
  return sum(Object.values(by_configuration).map(({ missing, repeated = 0 }) => missing + repeated))
}

/** The sentence of a benchmark, which also says if its baseline is not concurrent. */
export function incompleteHeadline(missing: MissingGrades, arms: BenchmarkArms, older: OlderRuns | null): string {
  const sentence = missingGradesSentence(missing, nameArmRuns(arms))
  return older === null || older.is_concurrent ? sentence : `${sentence} ${notConcurrentSentence(older)}`
}

/** The configurations, as the sentence of a verdict names them. */
function nameArmRuns(arms: BenchmarkArms): string[] {
  if (arms.baseline === null) return ['']
  switch (classifyArmPairing(arms)) {
    case 'skill':
      return [describeCandidate(arms), 'without']
    case 'versions':
      return ['with the new version', 'with the old']
    case 'itself':
    case 'names':
      return armNames(arms).map(describeArm)
  }
}
