/** Describes the difference that a number of runs can detect, and the runs that a wanted difference needs. */
import type { Plan } from '../../../../schemas/plan.ts'
import { describeSimilarCases, formatVariedCases } from '../../../base/smallest_design.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { DetectableDifference } from '../../../flows/estimate/detectable_effect.ts'
import { fewestUntilRuns } from '../../../phases/4-report/stats/power/look_schedule.ts'

interface Size {
  /** Per case and arm. */
  runs: number
  /** They are the maximum. */
  isMost: boolean
}

/** "3 runs of 12 cases detect a difference of 31 points or more on these cases (80% power), of 46 points or more on similar cases". */
export function detectableText(of: DetectableDifference, size: Size): string {
  const { power, cases, these_cases: own, fewest_runs: fewest = 1, similar_cases: like } = of
  if (cases === 0) return 'no difference: no case has a criterion'
  const runs = `${size.isMost ? 'at most ' : ''}${runsText(size.runs)} of ${casesText(cases)}`
  const detect = size.runs === 1 ? 'detects' : 'detect'
  if (size.runs < fewest) {
    const others = like === undefined ? '' : `, for similar cases ${describeSimilarCases(like)}`
    return `${runs} can't be significant, even if all agree: at least ${fewest} runs per case and configuration are needed${others}`
  }
  const these =
    own >= 1
      ? `may detect no difference on these cases`
      : `${detect} a difference of ${points(own)} on these cases (${powerText(power)})`
  return `${runs} ${these}${similarText(of)}`
}

/** With --until: that the budget is too small for adaptive stopping, and what to use. */
export function smallBudgetLines({ cases, fewest_runs: fewest = 1 }: DetectableDifference, size: Size): string[] {
  const advised = fewestUntilRuns(Math.max(1, cases))
  if (!size.isMost || size.runs < fewest || size.runs >= advised) return []
  const instead = `use --max-runs ${advised} or more, or --runs ${size.runs}`
  return [`--until decided with at most ${runsText(size.runs)} per case saves little and finds less: ${instead}`]
}

type Design = Pick<EstimatedPlan, 'detectable' | 'needed'> & {
  plan: { options: Pick<Plan['options'], 'runs' | 'until'> }
}

/** Lines for --dry-run. */
export function designLines({ plan, detectable, needed }: Design): string[] {
  const { runs, until } = plan.options
  const { cases, power } = detectable
  const size = { runs, isMost: until !== undefined }
  const small = smallBudgetLines(detectable, size).map((line) => `note      ${line}`)
  const lines = [`detects   ${detectableText(detectable, size)}`, ...small]
  if (needed === null || cases === 0) return lines
  const which = cases === 1 ? 'this case' : `each of these ${cases} cases`
  const most = size.isMost ? 'at most ' : ''
  const these = `${most}${runsText(needed.runs)} of ${which} per configuration`
  const others =
    needed.cases === null ? '' : `; for similar cases ${casesText(needed.cases)} with ${most}${runsText(runs)}`
  return [...lines, `needed    for ${askedRate(needed.detect)}: ${these}${others} (${powerText(power)})`]
}

function similarText({ cases, cases_like_these: sample, similar_cases: size }: DetectableDifference): string {
  if (sample !== null) return sample >= 1 ? ', maybe none on similar cases' : `, of ${points(sample)} on similar cases`
  if (size === undefined) return ', without a verdict on similar cases'
  if (cases < size.uniform) return `; for similar cases you need ${describeSimilarCases(size)}`
  return `; on similar cases only a large difference that is the same in every case, with ${formatVariedCases(size)} cases also one that varies`
}

/** "80% power" */
function powerText(power: number): string {
  return `${Number((100 * power).toFixed(1))}% power`
}

function runsText(runs: number): string {
  return `${runs} ${runs === 1 ? 'run' : 'runs'}`
}

function casesText(cases: number): string {
  return `${cases} ${cases === 1 ? 'case' : 'cases'}`
}

/** The difference as requested. */
function askedRate(rate: number): string {
  const percent = Number((rate * 100).toFixed(2))
  return `a difference of ${percent} ${percent === 1 ? 'point' : 'points'}`
}

/** Rounded up to the next whole point, so that it is surely detected. */
function points(rate: number): string {
  const whole = Math.ceil(rate * 100 - 1e-9)
  return `${whole} ${whole === 1 ? 'point' : 'points'} or more`
}
