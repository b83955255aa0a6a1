/** The answer of a benchmark in a few lines: the verdict first, then similar cases, then what the reader must know to trust it. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Noise, Statistics } from '../../../../schemas/benchmark_statistics.ts'
import {
  armNames,
  classifyArmPairing,
  describeArm,
  describeCandidate,
  findArmSummary,
  findArms,
  isCalibration,
} from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import { auditText } from '../judge/audit_text.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { incompleteHeadline } from '../stats/scopes/missing_grades.ts'
import { isVerdictWithheld, observationalNote } from '../stats/scopes/observational.ts'
import { readScopeRates } from '../stats/scopes/verdict_sentences.ts'
import { formatPercent, formatPlural, formatRates, hundredths, toSentence } from './format.ts'
import { coverageSentences } from './selected_cases.ts'

/**
 * The verdict with both pass rates, the difference, its interval and p-value; without a verdict, what the missing runs leave open; of recorded
 * sessions, that nothing is tested.
 */
export function benchmarkHeadline(benchmark: Benchmark): string {
  const { missing_grades: missing, older_runs: older = null } = benchmark.statistics ?? {}
  const text = missing ? incompleteHeadline(missing, findArms(benchmark), older) : resultHeadline(benchmark)
  if (benchmark.observational !== true || text.startsWith(observationalNote)) return text
  return missing ? `${text} ${observationalNote}` : `${observationalNote} ${text}`
}

function resultHeadline(benchmark: Benchmark): string {
  const arms = findArms(benchmark)
  const summaries = armNames(arms).map((name) => ({ name, rate: findArmSummary(benchmark, name)?.pass_rate.mean }))
  const graded = summaries.filter(({ rate }) => rate !== undefined)
  if (graded.length === 0) {
    const planned = benchmark.counts?.planned
    return planned === undefined
      ? 'No result: no run is graded.'
      : `No result: none of the ${formatPlural(planned, 'planned run')} is graded.`
  }
  const [first] = graded
  if (first !== undefined && graded.length < 2) {
    const rate = `pass rate ${formatPercent(first.rate ?? 0)} for ${first.name} (${describeSample(benchmark)})`
    if (summaries.length < 2) return `${rate.slice(0, 1).toUpperCase()}${rate.slice(1)}.`
    return `Not comparable: only one configuration has graded runs, ${rate}.`
  }
  if (benchmark.statistics?.scopes) return benchmark.statistics.scopes.these_cases.sentence
  const rates = findHeadlineRates(benchmark)
  if (rates === null) return 'Not comparable: no case was graded in both configurations.'
  const shown = formatRates(rates.candidate, rates.baseline)
  const names =
    classifyArmPairing(arms) === 'skill' ? [describeCandidate(arms), 'without'] : armNames(arms).map(describeArm)
  const sample = isSummaryOnly(benchmark) ? 'from a summary without runs' : describeSample(benchmark)
  return `Pass rate ${shown.candidate} ${names[0]}, ${shown.baseline} ${names[1]}: ${shown.difference} points (${sample}; no test).`
}

/** Similar cases, whether the skill was read, then notes on noise, indicators, comparisons and the audit. */
export function confidenceNotes(benchmark: Benchmark): string[] {
  const { comparison, audit, statistics } = benchmark
  return [
    ...(statistics === undefined ? [] : statisticsNotes(benchmark, statistics)),
    ...(comparison === undefined ? [] : [comparison.sentence, ...comparison.warnings]),
    ...(audit === undefined ? [] : auditSentences(audit, statistics)),
  ]
}

/** An interval of a share wider than this says nothing, nor does one without a width. */
const widestTold = 0.8

/** "More cases or more runs?", for the written report, where there is an estimate. */
export function designNotes(benchmark: Benchmark): string[] {
  const { scopes = null, variance } = benchmark.statistics ?? {}
  const isShown = scopes !== null && !isCalibration(findArms(benchmark)) && scopes.these_cases.difference.mean !== null
  if (!isShown || typeof variance?.case !== 'number') return []
  const { case_share_low: low, case_share_high: high } = variance
  const width = (high ?? 1) - (low ?? 0)
  return width === 0 || width > widestTold ? [] : [variance.sentence]
}

/** The same after sentences on chosen cases and baseline, for places that do not show these otherwise. */
export function fullConfidenceNotes(benchmark: Benchmark): string[] {
  return [...coverageSentences(benchmark), ...confidenceNotes(benchmark)]
}

function statisticsNotes(benchmark: Benchmark, statistics: Statistics): string[] {
  const arms = findArms(benchmark)
  const { scopes, until, noise } = statistics
  if (scopes === null) return []
  const isNoise = isCalibration(arms)
  const { these_cases: own, cases_like_these: similar } = scopes
  const hasResult = own.difference.mean !== null && !isVerdictWithheld(own)
  return [
    ...(isNoise || !hasResult ? [] : [similar.sentence]),
    ...(benchmark.runs.some(({ result }) => result.text_tool_call) ? [] : unreadNotes(statistics, arms.candidate)),
    ...(hasResult && statistics.price?.tests.length ? [statistics.price.sentence] : []),
    ...(until === undefined || own.verdict === 'incomplete' ? [] : [toSentence(until.reason)]),
    ...(isNoise ? ['Later benchmarks of this suite on this engine, model and judge show this noise.'] : []),
    ...indicatorNotes(statistics),
    ...noiseNotes(noise, own.difference.mean ?? 0),
  ]
}

/** The most common cause of a skill that does not help: it was not read. */
function unreadNotes({ activation }: Statistics, candidate: string | null): string[] {
  const { read, known, denied = 0 } = activation[candidate ?? ''] ?? { read: 0, known: 0 }
  if (read >= known) return []
  const all = known === 1 ? 'the run' : `any of the ${known} runs`
  const runs = read === 0 ? all : `${known - read} of ${known} runs`
  const what =
    candidate === 'new_skill'
      ? `The new version was not read in ${runs}`
      : `The skill was not read in ${runs} that had it`
  if (denied === 0) return [`${what}: check that its description fits these prompts.`]
  const calls = `${formatPlural(denied, 'run')} called it, and the call was denied`
  return [`${what}; ${calls}: allow the Skill tool in the settings of the agent.`]
}

function indicatorNotes({ expectations }: Statistics): string[] {
  const indicators = expectations.filter(({ indicator }) => indicator !== null).length
  if (indicators === 0) return []
  return [`Pass rates leave out ${formatPlural(indicators, 'indicator')}: only runs with the skill can pass them.`]
}

function noiseNotes(noise: Noise | null, mean: number): string[] {
  const { calibration = null, grading = null } = noise ?? {}
  return [
    ...(calibration === null ? [] : [calibrationText(calibration, mean)]),
    ...(grading === null ? [] : [gradingText(grading)]),
  ]
}

function calibrationText({ floor, runs }: NonNullable<Noise['calibration']>, mean: number): string {
  const each = runs === undefined ? '' : ` with ${formatPlural(runs, 'run')} per case`
  const within = Math.abs(mean) <= floor ? '; this difference is within that' : ''
  return `Noise: the baseline differs from itself by up to ${formatPlural(hundredths(floor), 'point')}${each}${within}.`
}

function gradingText({
  execution_variance,
  grading_variance,
  dialogue_variance = null,
  n_runs,
  gradings,
}: NonNullable<Noise['grading']>): string {
  const times = `Graded ${formatFixed(gradings / n_runs, Number.isInteger(gradings / n_runs) ? 0 : 1)} times`
  const dialogues = dialogueText(execution_variance, dialogue_variance)
  if (grading_variance === 0) return `${times}, no run's score changed.${dialogues}`
  const moves = `${times}, a run's score varies by ${formatPlural(hundredths(Math.sqrt(grading_variance)), 'point')} (standard deviation)`
  if (execution_variance === null) return `${moves}.`
  const share = formatPercent(grading_variance / (grading_variance + execution_variance))
  return `${moves}: ${share} of the variance between runs comes from grading.${dialogues}`
}

/** Empty: nothing is known of the part that different dialogues add. */
function dialogueText(execution: number | null, dialogue: number | null): string {
  if (execution === null || dialogue === null || execution === 0) return ''
  const share = formatPercent(Math.min(1, dialogue / execution))
  return ` Of the rest, ${share} comes from different messages of the user.`
}

function auditSentences(...of: Parameters<typeof auditText>): string[] {
  const { lines, banner } = auditText(...of)
  return banner === null ? lines : [...lines, banner]
}

/** "12 + 12 runs, 4 cases". */
function describeSample(benchmark: Benchmark): string {
  const names = armNames(findArms(benchmark))
  const runs = names.map((name) => benchmark.runs.filter((run) => run.configuration === name).length)
  const cases = new Set(benchmark.runs.map((run) => run.eval_id)).size
  const total = runs.reduce((sum, one) => sum + one, 0)
  return `${runs.filter((one) => one > 0).join(' + ')} run${total === 1 ? '' : 's'}, ${formatPlural(cases, 'case')}`
}

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
