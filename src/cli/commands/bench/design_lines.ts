/** Describes the difference that a number of runs can detect, and the runs that a wanted difference needs. */
import type { Plan } from '../../../../schemas/plan.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { DetectableDifference } from '../../../flows/estimate/detectable_effect.ts'
import { fewestUntilRuns } from '../../../phases/4-report/stats/power/look_schedule.ts'

interface Size {
  /** Per case and arm. */
  runs: number
  /** They are the maximum. */
  isMost: boolean
}

/** "3 runs of 4 cases find a difference of 58 points or more on these cases (power 0.8)". */
export function detectableText(of: DetectableDifference, size: Size): string {
  const { power, cases, these_cases: own, cases_like_these: sample, fewest_runs: fewest = 1 } = of
  if (cases === 0) return 'no difference: no case has a criterion'
  const runs = `${size.isMost ? 'at most ' : ''}${runsText(size.runs)} of ${casesText(cases)}`
  const find = size.runs === 1 ? 'finds' : 'find'
  if (size.runs < fewest) {
    return `${runs} can't be significant, even if all agree: at least ${fewest} runs per case and configuration are needed`
  }
  const these = own >= 1 ? `may find no difference on these cases` : `${find} ${points(own)} on these cases`
  const none = size.isMost ? 'without a verdict on similar cases' : 'too few cases for a verdict on similar cases'
  const like = sample === null ? none : likeText(sample)
  return `${runs} ${these}, ${like} (power ${power})`
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
  const these = `${most}${runsText(needed.runs)} of ${which} in each arm`
  const others =
    needed.cases === null ? '' : `; for similar cases ${casesText(needed.cases)} with ${most}${runsText(runs)}`
  return [...lines, `needed    for ${askedRate(needed.detect)}: ${these}${others} (power ${power})`]
}

function likeText(sample: number): string {
  return sample >= 1 ? 'maybe none on similar cases' : `${points(sample)} on similar cases`
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
  return `a difference of ${whole} ${whole === 1 ? 'point' : 'points'}`
}
