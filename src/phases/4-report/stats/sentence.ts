/** The sentence of each scope, as a person reads it. */
import type { Noise, ScopeDifference } from '../../../../schemas/benchmark_statistics.ts'
import { hundredths, plural } from '../words.ts'
import { fixed } from './round.ts'
import type { ScopeNumbers } from './these_cases.ts'

export interface Told {
  /** An older and a newer version of the skill meet. */
  versions: boolean
  /** Fewest and most runs a case and arm. */
  runs: readonly [number, number]
  margin: number
  indicators: number
  noise: Noise | null
}

/** "On these 4 cases, runs with the skill meet 31 points more of their expectations [12, 48] (10 runs each, p = 0.003)." */
export function theseCasesSentence(scope: ScopeNumbers, told: Told): string {
  const { difference, verdict, needed } = scope
  const { n_cases: cases, mean } = difference
  if (mean === null) return 'No case has graded runs in both arms: nothing to compare.'
  const subject = told.versions ? 'runs with the new version' : 'runs with the skill'
  const [fewest, most] = told.runs
  const runs = fewest === most ? `${plural(most, 'run')} each` : `${fewest} to ${most} runs each`
  const basis = [runs, pText(difference), boundText(difference), anytimeText(difference)].filter((part) => part !== '')
  const facts = `${subject} meet ${pointsText(mean)} of their expectations${ends(difference)} (${basis.join(', ')})`
  const end = {
    helps: '',
    hurts: '',
    no_difference: `: no difference beyond ${plural(hundredths(told.margin), 'point')}`,
    inconclusive: `: not told from chance${needed === null ? '' : `; about ${needed} runs each would do`}`,
  }[verdict]
  return [`On ${cases === 1 ? 'this case' : `these ${cases} cases`}, ${facts}${end}.`, ...asides(told)].join(' ')
}

/** "For cases like these: too few to say; 8 more would do." */
export function likeTheseSentence(scope: ScopeNumbers, told: Told): string {
  const { difference, verdict, needed } = scope
  const more = needed === null ? '' : `; ${needed} more would do`
  if (difference.mean === null || difference.ci_low === null) return `For cases like these: too few to say${more}.`
  const basis = [plural(difference.n_cases, 'case'), pText(difference), boundText(difference)]
  const facts = `${pointsText(difference.mean)}${ends(difference)} (${basis.filter((part) => part !== '').join(', ')})`
  const end = {
    helps: '',
    hurts: '',
    no_difference: `, no difference beyond ${plural(hundredths(told.margin), 'point')}`,
    inconclusive: `, not told from chance${more}`,
  }[verdict]
  return `For cases like these: ${facts}${end}.`
}

function pointsText(mean: number): string {
  const points = hundredths(Math.abs(mean))
  if (points === 0) return mean === 0 ? 'as many' : `less than 1 point ${mean > 0 ? 'more' : 'fewer'}`
  return `${plural(points, 'point')} ${mean > 0 ? 'more' : 'fewer'}`
}

function ends({ ci_low: low, ci_high: high }: ScopeDifference): string {
  return low === null || high === null ? '' : ` [${hundredths(low)}, ${hundredths(high)}]`
}

function pText({ p_value: p }: ScopeDifference): string {
  if (p === null) return ''
  return p < 0.001 ? 'p < 0.001' : `p = ${fixed(p, p < 0.1 ? 3 : 2)}`
}

function boundText({ method }: ScopeDifference): string {
  if (method === 'wilson_newcombe') return 'too little varies for more than a bound'
  return method === 'beta_bound' ? 'nothing varies: a bound' : ''
}

function anytimeText({ p_method }: ScopeDifference): string {
  return p_method === 'e_value' ? 'valid at every look' : ''
}

function asides({ indicators, noise }: Told): string[] {
  const calibration = noise?.calibration ?? null
  return [
    ...(indicators === 0 ? [] : [`${plural(indicators, 'indicator')} left out.`]),
    ...(calibration === null
      ? []
      : [`The baseline against itself differs by up to ${plural(hundredths(calibration.floor), 'point')}.`]),
  ]
}
