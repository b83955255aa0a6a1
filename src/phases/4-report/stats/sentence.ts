/** The sentence of each scope, as a person reads it. */
import type { Noise, ScopeDifference, Until, Verdict } from '../../../../schemas/benchmark_statistics.ts'
import type { Meeting } from '../arms.ts'
import { hundredths, percent, plural, pText } from '../words.ts'
import { fixed } from './round.ts'
import type { ScopeNumbers } from './these_cases.ts'

export interface Told {
  meet: Meeting
  /** Its configuration. */
  candidate: string
  /** Fewest and most runs a case and arm. */
  runs: readonly [number, number]
  margin: number
  indicators: number
  noise: Noise | null
  /** null: the number of runs was fixed. */
  until: Until | null
}

const subjects: Record<Meeting, (told: Told) => string> = {
  skill: () => 'runs with the skill',
  versions: () => 'runs with the new version',
  itself: () => 'runs of the baseline',
  names: ({ candidate }) => `runs of ${candidate}`,
}

/** "On these 4 cases, runs with the skill meet 31 points more of their expectations [12, 48] (10 runs each, p = 0.003)." */
export function theseCasesSentence(scope: ScopeNumbers, told: Told): string {
  const { difference, verdict, needed } = scope
  const { n_cases: cases, mean } = difference
  if (mean === null) return [...untilText(told), 'No case has graded runs in both arms: nothing to compare.'][0] ?? ''
  if (told.meet === 'itself') return noiseSentence(scope, told)
  const [fewest, most] = told.runs
  const runs = fewest === most ? `${plural(most, 'run')} each` : `${fewest} to ${most} runs each`
  const basis = [runs, pText(difference.p_value), boundText(difference), anytimeText(difference, verdict)].filter(
    (part) => part !== '',
  )
  const facts = `${subjects[told.meet](told)} meet ${pointsText(mean)} of their expectations${ends(difference)} (${basis.join(', ')})`
  const end = {
    helps: '',
    hurts: '',
    no_difference: `: no difference beyond ${plural(hundredths(told.margin), 'point')}`,
    inconclusive: `: not told from chance${needed === null ? '' : `; about ${needed} runs each would do`}`,
  }[verdict]
  return [`On ${casesText(cases)}, ${facts}${end}.`, ...asides(told, mean)].join(' ')
}

function casesText(cases: number): string {
  return cases === 1 ? 'this case' : `these ${cases} cases`
}

/** "On these 4 cases, the baseline against itself differs by 3 points [-9, 15] (5 runs each, p = 0.61)." */
function noiseSentence({ difference, verdict }: ScopeNumbers, told: Told): string {
  const [fewest, most] = told.runs
  const runs = fewest === most ? `${plural(most, 'run')} each` : `${fewest} to ${most} runs each`
  const basis = [runs, pText(difference.p_value), boundText(difference)].filter((part) => part !== '').join(', ')
  const by = plural(hundredths(Math.abs(difference.mean ?? 0)), 'point')
  const facts = `the baseline against itself differs by ${by}${ends(difference)} (${basis})`
  const odd = verdict === 'helps' || verdict === 'hurts' ? ', more than chance should make: did something change?' : '.'
  return [`On ${casesText(difference.n_cases)}, ${facts}${odd}`, ...asides(told, 0)].join(' ')
}

/** "For cases like these: too few to say; 8 more would do." */
export function likeTheseSentence(scope: ScopeNumbers, told: Told): string {
  const { difference, verdict, needed } = scope
  if (told.meet === 'itself') return 'For cases like these: not asked of a calibration.'
  const more = needed === null ? '' : `; ${needed} more would do`
  if (difference.mean === null || difference.ci_low === null) return `For cases like these: too few to say${more}.`
  const basis = [plural(difference.n_cases, 'case'), pText(difference.p_value), boundText(difference)]
  const facts = `${pointsText(difference.mean)}${ends(difference)} (${basis.filter((part) => part !== '').join(', ')})`
  if (told.until !== null) return `For cases like these: ${facts}, without a verdict since looks ended the runs.`
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

function boundText({ method }: ScopeDifference): string {
  if (method === 'wilson_newcombe') return 'a cautious interval: too few runs vary'
  return method === 'beta_bound' ? 'a cautious interval: nothing varies' : ''
}

function anytimeText({ p_method, ci_low, ci_high }: ScopeDifference, verdict: Verdict): string {
  if (p_method !== 'e_value') return ''
  const holdsNone = ci_low !== null && ci_high !== null && ci_low <= 0 && ci_high >= 0
  const isWide = holdsNone && (verdict === 'helps' || verdict === 'hurts')
  return isWide ? 'valid at every look; the interval is wide after few blocks' : 'valid at every look'
}

function untilText({ until }: Pick<Told, 'until'>): string[] {
  return until === null ? [] : [`${until.reason.slice(0, 1).toUpperCase()}${until.reason.slice(1)}.`]
}

function asides({ indicators, noise, until }: Told, mean: number): string[] {
  const calibration = noise?.calibration ?? null
  return [
    ...untilText({ until }),
    ...(indicators === 0 ? [] : [`${plural(indicators, 'indicator')} left out.`]),
    ...(calibration === null ? [] : [noiseText(calibration, mean)]),
    ...gradingText(noise?.grading ?? null),
  ]
}

/** "Graded 4 times, the score of a run moves by 5 points (standard deviation): 12% of the variance between runs is grading." */
function gradingText(grading: Noise['grading']): string[] {
  if (grading === null) return []
  const { execution_variance: execution, grading_variance: own, n_runs, gradings } = grading
  const times = `Graded ${fixed(gradings / n_runs, Number.isInteger(gradings / n_runs) ? 0 : 1)} times`
  if (own === 0) return [`${times}, no run's score moved.`]
  const moves = `${times}, the score of a run moves by ${plural(hundredths(Math.sqrt(own)), 'point')} (standard deviation)`
  if (execution === null) return [`${moves}.`]
  return [`${moves}: ${percent(own / (own + execution))} of the variance between runs is grading.`]
}

function noiseText({ floor, runs }: NonNullable<Noise['calibration']>, mean: number): string {
  const each = runs === undefined ? '' : ` (${plural(runs, 'run')} each)`
  const within = Math.abs(mean) <= floor ? '; this difference is within that' : ''
  return `The baseline against itself differs by up to ${plural(hundredths(floor), 'point')}${each}${within}.`
}
