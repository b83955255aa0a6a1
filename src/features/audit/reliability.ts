/** Summarizes how reliable a benchmark's judge is, from people's labels. */

import type { AuditSummary } from '../../../schemas/audit.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { AssessJudge } from '../../flows/judge_reliability.ts'
import { auditWorkspace, readJudgeDecisions, uniqueDecisions } from '../../flows/labels/judge_decisions.ts'
import { wilson } from '../../phases/4-report/stats/distributions/binomial.ts'
import { normalQuantile } from '../../phases/4-report/stats/distributions/quantiles.ts'
import { clipInterval, type Interval } from '../../phases/4-report/stats/numbers/describe.ts'
import { round, roundPValue } from '../../phases/4-report/stats/numbers/round.ts'
import {
  correctShare,
  findJudgeSample,
  type JudgeErrors,
  type JudgeSample,
  smoothJudgeErrors,
} from '../../phases/4-report/stats/scores/judge_error.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import {
  formatConfiguration,
  formatPercent,
  formatPlural,
  formatPointRange,
} from '../../phases/4-report/text/format.ts'
import { readAuditLog } from '../../store/artefacts/audit_log.ts'
import type { OnDamage } from '../../store/artefacts/damage.ts'
import {
  type AuditedDecision,
  clusteredShare,
  estimateJudgeErrors,
  labelsToTell,
  leastOwnLabels,
} from './judge_errors.ts'

/** Of a benchmark in whose workspace people labelled decisions. `judge`: null if the labels cover only one kind. */
export const assessByLabels: AssessJudge = async (folder, plan, tell) => {
  const audited = await readAuditedDecisions(
    folder,
    plan,
    tell('ignored; a person wrote this line: fix it, or label the decision again'),
  )
  const audit = audited && summarizeAuditDecisions(audited)
  return { judge: audited && estimateJudgeErrors(audited), ...(audit && { audit }) }
}

/** The judge's decisions with people's labels; null: this workspace has no labels. */
async function readAuditedDecisions(folder: string, plan: Plan, tell: OnDamage) {
  const labels = readAuditLog(auditWorkspace(folder), tell)
  if (labels.size === 0) return null
  const decisions = await readJudgeDecisions(folder, plan)
  return decisions.map(({ id, run_id, configuration, graded: { passed } }) => {
    return { id, run_id, configuration, passed, met: labels.get(id)?.met ?? null }
  })
}

/** `labels` and `each`: a smaller sample says little. `agreement` and `kappa`: below them the judge is not reliable. */
const least = { labels: 30, each: 5, agreement: 0.8, kappa: 0.6 }

/** Pure. null: no decision has a label. */
export function summarizeAuditDecisions(decisions: readonly AuditedDecision[]): AuditSummary | null {
  const once = uniqueDecisions(decisions)
  const labelled = once.filter(({ met }) => met !== null)
  if (labelled.length === 0) return null
  const table = countAgreementTable(labelled)
  const errors = estimateJudgeErrors(decisions)
  const agreeing = table.both_met + table.neither
  const kappa = cohensKappa(table)
  const arms = [...new Set(decisions.map(({ configuration }) => configuration))]
  const { favours } = errors ?? {}
  const isUnknown = favours !== undefined && errors?.byConfiguration === null
  const corrected = errors === null || isUnknown ? null : correctedByArm(decisions, errors, arms)
  const counted = {
    decisions: once.length,
    labels: labelled.length,
    table,
    agreement: toAgreementRate(agreeing / labelled.length, labelled.length),
    kappa: kappa === null ? null : round(kappa, 6),
    kappa_ci: kappaInterval(table),
    ...describeErrors(errors?.pooled ?? null, labelled),
    by_configuration: describeOwnErrors(errors, labelled),
    favours:
      favours === undefined ? null : { configuration: favours.configuration, p_value: roundPValue(favours.pValue) },
    labels_to_tell: errors && labelsToTell(decisions, errors),
    corrected,
    withheld: isUnknown
      ? tooFewToCorrect
      : whyWithheld(
          arms.filter((arm) => corrected?.[arm] === undefined),
          { isKnown: errors !== null, isAll: corrected === null, table },
        ),
  }
  const isChance = errors !== null && smoothJudgeErrors(errors.pooled) === null
  return { ...counted, sentence: writeAuditSentence(counted), banner: writeAuditBanner(counted, isChance) }
}

function describeErrors(
  sample: JudgeSample | null,
  labelled: readonly AuditedDecision[],
): Pick<AuditSummary, 'sensitivity' | 'specificity'> {
  if (sample === null) return { sensitivity: null, specificity: null }
  const count = (met: boolean) => labelled.filter((one) => one.met === met).length
  return {
    sensitivity: toAgreementRate(sample.sensitivity, count(true), sample.positives),
    specificity: toAgreementRate(sample.specificity, count(false), sample.negatives),
  }
}

function describeOwnErrors(
  errors: JudgeErrors | null,
  labelled: readonly AuditedDecision[],
): AuditSummary['by_configuration'] {
  const own = errors?.byConfiguration ?? null
  if (own === null) return null
  const rows = Object.entries(own).flatMap(([arm, sample]) => {
    const some = labelled.filter(({ configuration }) => configuration === arm)
    const { sensitivity, specificity } = describeErrors(sample, some)
    return sensitivity === null || specificity === null ? [] : [[arm, { sensitivity, specificity }] as const]
  })
  return Object.fromEntries(rows)
}

type Table = AuditSummary['table']

function countAgreementTable(labelled: readonly AuditedDecision[]): Table {
  const of = (passed: boolean, met: boolean) =>
    labelled.filter((one) => one.passed === passed && one.met === met).length
  return {
    both_met: of(true, true),
    only_judge: of(true, false),
    only_person: of(false, true),
    neither: of(false, false),
  }
}

/** (p_o − p_e) ÷ (1 − p_e). */
export function cohensKappa(table: Table): number | null {
  const { n, observed, expected } = agreementRate(table)
  return n === 0 || expected === 1 ? null : (observed - expected) / (1 - expected)
}

/** Wilson's interval of p_o with p_e fixed: unlike the usual standard error, it has a width even if all agree. */
export function kappaInterval(table: Table): { ci_low: number; ci_high: number } | null {
  const { n, observed, expected } = agreementRate(table)
  if (n === 0 || expected === 1) return null
  const { low, high } = wilson(observed * n, n, usualOptions.alpha)
  const at = (share: number) => round((share - expected) / (1 - expected), 6)
  return { ci_low: Math.max(-1, at(low)), ci_high: at(high) }
}

function agreementRate({ both_met, only_judge, only_person, neither }: Table) {
  const n = both_met + only_judge + only_person + neither
  const judge = (both_met + only_judge) / n
  const person = (both_met + only_person) / n
  return { n, observed: (both_met + neither) / n, expected: judge * person + (1 - judge) * (1 - person) }
}

/** `independent`: how many independent labels the n labels are worth; absent: all. */
function toAgreementRate(share: number, n: number, independent = n): NonNullable<AuditSummary['agreement']> {
  const { low, high } = wilson(share * independent, independent, usualOptions.alpha)
  return { rate: round(share, 6), ci_low: round(low, 6), ci_high: round(high, 6), n }
}

/** Verdicts of one run depend on each other, so they count as fewer. null: the judge is not better than chance in any arm. */
function correctedByArm(
  decisions: readonly AuditedDecision[],
  errors: JudgeErrors,
  arms: readonly string[],
): AuditSummary['corrected'] {
  const found = arms.flatMap((arm) => {
    const own = decisions.filter(({ configuration }) => configuration === arm)
    const verdicts = own.map(({ run_id, passed }) => ({ cluster: run_id, value: passed ? 1 : 0, weight: 1 }))
    const { share: judged, effective } = clusteredShare(verdicts) ?? { share: 0, effective: 0 }
    const request = { rate: judged, n: effective, alpha: usualOptions.alpha }
    const corrected = correctForJudge(request, findJudgeSample(errors, arm))
    if (corrected === null) return []
    const { rate, low, high } = corrected
    const row = { judged: round(judged, 6), rate: round(rate, 6), ci_low: round(low, 6), ci_high: round(high, 6) }
    return [[arm, { ...row, n: own.length }] as const]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

const tooFewToCorrect = `No rate is corrected: the judge's errors differ between the configurations, and in one of them people passed or failed fewer than ${leastOwnLabels} statements.`

/** `missing`: the arms without a corrected rate. null: there is none. */
function whyWithheld(
  missing: readonly string[],
  { isKnown, isAll, table }: { isKnown: boolean; isAll: boolean; table: Table },
): string | null {
  if (missing.length === 0) return null
  if (!isKnown) {
    const all = table.both_met + table.only_person > 0 ? 'passed' : 'failed'
    return `No rate is corrected: people labelled every decision as ${all}, so one of the judge's two error rates is unknown.`
  }
  const what = isAll
    ? 'No rate is corrected'
    : `The rate ${missing.map(formatConfiguration).join(', ')} is not corrected`
  return `${what}: the judge does not perform better than chance${isAll ? '' : ' there'}.`
}

type AuditCounts = Omit<AuditSummary, 'sentence' | 'banner'>

function writeAuditSentence({ labels, decisions, agreement, kappa, kappa_ci, table }: AuditCounts): string {
  const rate = agreement === null ? '' : formatPercent(agreement.rate)
  const range = agreement === null ? '' : ` (95% CI ${formatPointRange(agreement.ci_low, agreement.ci_high)})`
  const chance = kappa === null ? '' : `, kappa ${kappaText(kappa, kappa_ci)}`
  const wrong = `${table.only_judge} wrongly passed, ${table.only_person} wrongly failed`
  return `Audit: people agree with the judge on ${rate} of ${formatPlural(labels, 'decision')} out of ${decisions}${range}${chance}; ${wrong}.`
}

function kappaText(kappa: number, interval: AuditSummary['kappa_ci']): string {
  const ends = interval == null ? '' : ` (95% CI [${interval.ci_low.toFixed(2)}, ${interval.ci_high.toFixed(2)}])`
  return `${kappa.toFixed(2)}${ends}`
}

function writeAuditBanner({ labels, agreement, kappa, table }: AuditCounts, isChance: boolean): string | null {
  const [met, unmet] = [table.both_met + table.only_person, table.only_judge + table.neither]
  const [passed, failed] = [table.both_met + table.only_judge, table.only_person + table.neither]
  const isDisagreeing = (agreement?.rate ?? 1) < least.agreement
  // kappa is 0 for any judge if all its verdicts are the same
  const isOneSided = Math.min(passed, failed) < least.each
  const isSmall = labels < least.labels || Math.min(met, unmet) < least.each || (isOneSided && !isDisagreeing)
  if (isSmall) {
    const judged = isOneSided ? `, the judge passed ${passed} and failed ${failed}` : ''
    return `The audit is too small to confirm the judge: ${formatPlural(labels, 'label')}; people passed ${met} and failed ${unmet}${judged}. It needs at least ${least.labels} labels, ${least.each} of each kind.`
  }
  if (!isChance && !isDisagreeing && (kappa ?? 1) >= least.kappa) return null
  const how = kappa === null ? '' : `, kappa ${kappa.toFixed(2)}`
  return `The judge agrees poorly with people (${formatPercent(agreement?.rate ?? 0)} of ${labels}${how}): do not rely on its rates. Fix the expectations or use another judge.`
}

/** `rate`: the judge's, over n verdicts. The interval holds the rate. null: the judge is not better than chance. */
export function correctForJudge(
  { rate, n, alpha }: { rate: number; n: number; alpha: number },
  judge: JudgeSample,
): (Interval & { rate: number }) | null {
  const errors = smoothJudgeErrors(judge)
  if (errors === null) return null
  const { slope, variance } = errors
  const z = normalQuantile(1 - alpha / 2)
  const p = (n * rate + (z * z) / 2) / (n + z * z)
  const middle = (p + errors.specificity - 1) / slope
  const shift = 2 * z * z * (middle * variance.sensitivity - (1 - middle) * variance.specificity)
  const spread =
    (p * (1 - p)) / (n + z * z) + (1 - middle) ** 2 * variance.specificity + middle ** 2 * variance.sensitivity
  const half = (z * Math.sqrt(spread)) / slope
  const ends = clipInterval({ low: middle + shift - half, high: middle + shift + half }, [0, 1])
  const corrected = correctShare(rate, judge)
  return { rate: corrected, low: Math.min(corrected, ends.low), high: Math.max(corrected, ends.high) }
}
