/** What a number of runs can see, and what a wanted difference takes, in words. */
import type { Detectable } from '../flows/detectable.ts'
import type { Planned } from '../flows/plan_with_estimate.ts'

interface Size {
  /** Of each case in each arm. */
  runs: number
  /** They are the most. */
  isMost: boolean
}

/** "3 runs of 4 cases find a difference of 58 points or more on these cases (power 0.8)". */
export function detectableText(of: Detectable, size: Size): string {
  const { power, cases, these_cases: own, cases_like_these: sample } = of
  if (cases === 0) return 'no difference: no case has a criterion'
  const runs = `${size.isMost ? 'at most ' : ''}${size.runs} ${size.runs === 1 ? 'run' : 'runs'} of ${casesText(cases)}`
  const find = size.runs === 1 ? 'finds' : 'find'
  const these = own >= 1 ? `may find no difference on these cases` : `${find} ${points(own)} on these cases`
  const none = size.isMost ? 'without a verdict for others like these' : 'too few cases for others like these'
  const like = sample === null ? none : likeText(sample)
  return `${runs} ${these}, ${like} (power ${power})`
}

/** For --dry-run. */
export function designLines({ plan, detectable, needed }: Planned): string[] {
  const { runs, until } = plan.options
  const { cases, power } = detectable
  const size = { runs, isMost: until !== undefined }
  const lines = [`detects   ${detectableText(detectable, size)}`]
  if (needed === null || cases === 0) return lines
  const which = cases === 1 ? 'this case' : `each of these ${cases} cases`
  const most = size.isMost ? 'at most ' : ''
  const these = `${most}${needed.runs} runs of ${which} in each arm`
  const others =
    needed.cases === null
      ? ''
      : `; for cases like these ${needed.cases} cases with ${most}${runs} ${runs === 1 ? 'run' : 'runs'}`
  return [...lines, `needed    for ${asked(needed.detect)}: ${these}${others} (power ${power})`]
}

function likeText(sample: number): string {
  return sample >= 1 ? 'maybe none for cases like these' : `${points(sample)} for cases like these`
}

function casesText(cases: number): string {
  return `${cases} ${cases === 1 ? 'case' : 'cases'}`
}

/** As it was asked for. */
function asked(rate: number): string {
  const percent = Number((rate * 100).toFixed(2))
  return `a difference of ${percent} ${percent === 1 ? 'point' : 'points'}`
}

/** A rate up to the next whole point: what is found for sure. */
function points(rate: number): string {
  const whole = Math.ceil(rate * 100 - 1e-9)
  return `a difference of ${whole} ${whole === 1 ? 'point' : 'points'}`
}
