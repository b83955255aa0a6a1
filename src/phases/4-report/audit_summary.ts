/** How far a judge agrees with people: Cohen's kappa, sensitivity and specificity, and the arms' rates corrected by them. */
import type { AuditSummary } from '../../../schemas/audit.ts'
import { wilson } from './stats/binomial.ts'
import { correctForJudge, type JudgeSample } from './stats/judge_error.ts'
import { usualOptions } from './stats/options.ts'
import { round } from './stats/round.ts'
import { percent, plural } from './words.ts'

/** What a judge decided; `met`: what a person says, null where nobody was asked. */
interface AuditedDecision {
  id: string
  configuration: string
  passed: boolean
  met: boolean | null
}

/** Below these the sample says little; below those the judge is not to be leaned on. */
const least = { labels: 30, each: 5, agreement: 0.8, kappa: 0.6 }

/** Pure. null: nobody said anything of these decisions. */
export function auditSummary(decisions: readonly AuditedDecision[]): AuditSummary | null {
  const once = [...new Map(decisions.map((one) => [one.id, one])).values()]
  const labelled = once.filter(({ met }) => met !== null)
  if (labelled.length === 0) return null
  const table = tableOf(labelled)
  const sample = judgeSample(once)
  const agreeing = table.both_met + table.neither
  const kappa = kappaOf(table)
  const corrected = sample && correctedByArm(decisions, sample)
  const counted = {
    decisions: once.length,
    labels: labelled.length,
    table,
    agreement: rateOf(agreeing / labelled.length, labelled.length),
    kappa: kappa === null ? null : round(kappa, 6),
    kappa_ci: kappaInterval(table),
    sensitivity: sample && rateOf(sample.sensitivity, sample.positives),
    specificity: sample && rateOf(sample.specificity, sample.negatives),
    corrected,
    withheld: corrected === null ? whyWithheld(sample, table) : null,
  }
  const banner = bannerOf(counted)
  return { ...counted, sentence: sentenceOf(counted), banner }
}

type Table = AuditSummary['table']

function tableOf(labelled: readonly AuditedDecision[]): Table {
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
export function kappaOf(table: Table): number | null {
  const { n, observed, expected } = agreementIn(table)
  return n === 0 || expected === 1 ? null : (observed - expected) / (1 - expected)
}

/** Wilson's interval of p_o, with p_e as it is: unlike that of the usual standard error it has a width where all agree. */
export function kappaInterval(table: Table): { ci_low: number; ci_high: number } | null {
  const { n, observed, expected } = agreementIn(table)
  if (n === 0 || expected === 1) return null
  const { low, high } = wilson(observed * n, n, usualOptions.alpha)
  const at = (share: number) => round((share - expected) / (1 - expected), 6)
  return { ci_low: Math.max(-1, at(low)), ci_high: at(high) }
}

function agreementIn({ both_met, only_judge, only_person, neither }: Table) {
  const n = both_met + only_judge + only_person + neither
  const judge = (both_met + only_judge) / n
  const person = (both_met + only_person) / n
  return { n, observed: (both_met + neither) / n, expected: judge * person + (1 - judge) * (1 - person) }
}

/**
 * null: people hold all of them to be met, or none. Passes and fails may have been audited at different rates: each label stands for as many decisions of its verdict as there are to one.
 */
export function judgeSample(decisions: readonly AuditedDecision[]): JudgeSample | null {
  const once = [...new Map(decisions.map((one) => [one.id, one])).values()]
  const weight = (passed: boolean) => {
    const all = once.filter((one) => one.passed === passed)
    return all.length / Math.max(1, all.filter(({ met }) => met !== null).length)
  }
  const [pass, fail] = [weight(true), weight(false)]
  const { both_met, only_judge, only_person, neither } = tableOf(once)
  const [positives, negatives] = [both_met + only_person, only_judge + neither]
  if (positives === 0 || negatives === 0) return null
  return {
    sensitivity: (pass * both_met) / (pass * both_met + fail * only_person),
    positives,
    specificity: (fail * neither) / (fail * neither + pass * only_judge),
    negatives,
  }
}

function rateOf(rate: number, n: number): AuditSummary['agreement'] {
  const { low, high } = wilson(rate * n, n, usualOptions.alpha)
  return { rate: round(rate, 6), ci_low: round(low, 6), ci_high: round(high, 6), n }
}

function correctedByArm(decisions: readonly AuditedDecision[], sample: JudgeSample): AuditSummary['corrected'] {
  const arms = [...new Set(decisions.map(({ configuration }) => configuration))]
  const found = arms.flatMap((arm) => {
    const own = decisions.filter(({ configuration }) => configuration === arm)
    const judged = own.filter(({ passed }) => passed).length / own.length
    const corrected = correctForJudge({ rate: judged, n: own.length, alpha: usualOptions.alpha }, sample)
    if (corrected === null) return []
    const { rate, low, high } = corrected
    return [
      [
        arm,
        {
          judged: round(judged, 6),
          rate: round(rate, 6),
          ci_low: round(low, 6),
          ci_high: round(high, 6),
          n: own.length,
        },
      ] as const,
    ]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

function whyWithheld(sample: JudgeSample | null, { both_met, only_person }: Table): string {
  if (sample === null) {
    const all = both_met + only_person > 0 ? 'met' : 'unmet'
    return `No rate is corrected: people hold every statement they looked at to be ${all}, so that half of the judge's errors are not known.`
  }
  return 'No rate is corrected: the judge is no better than chance.'
}

type Counted = Omit<AuditSummary, 'sentence' | 'banner'>

function sentenceOf({ labels, decisions, agreement, kappa, kappa_ci, table }: Counted): string {
  const rate =
    agreement === null ? '' : `${percent(agreement.rate)} [${percent(agreement.ci_low)}, ${percent(agreement.ci_high)}]`
  const chance = kappa === null ? '' : `, kappa ${kappaText(kappa, kappa_ci)}`
  const wrong = `${table.only_judge} wrongly passed, ${table.only_person} wrongly failed`
  return `Audit: people agree with the judge on ${rate} of ${plural(labels, 'decision')} out of ${decisions}${chance} (${wrong}).`
}

function kappaText(kappa: number, interval: AuditSummary['kappa_ci']): string {
  const ends = interval == null ? '' : ` [${interval.ci_low.toFixed(2)}, ${interval.ci_high.toFixed(2)}]`
  return `${kappa.toFixed(2)}${ends}`
}

function bannerOf({ labels, agreement, kappa, sensitivity, specificity, table }: Counted): string | null {
  const [met, unmet] = [table.both_met + table.only_person, table.only_judge + table.neither]
  const [passed, failed] = [table.both_met + table.only_judge, table.only_person + table.neither]
  const isDisagreeing = (agreement?.rate ?? 1) < least.agreement
  // of verdicts that are all alike kappa is 0 whoever judges
  const isOneSided = Math.min(passed, failed) < least.each
  const isSmall = labels < least.labels || Math.min(met, unmet) < least.each || (isOneSided && !isDisagreeing)
  if (isSmall) {
    const judged = isOneSided ? `, ${passed} passed and ${failed} failed by the judge` : ''
    return `The audit is too small to vouch for the judge: ${plural(labels, 'label')}, ${met} met and ${unmet} unmet${judged}; ${least.labels} with ${least.each} of each would do.`
  }
  const isChance = sensitivity !== null && specificity !== null && sensitivity.rate + specificity.rate <= 1
  if (!isChance && !isDisagreeing && (kappa ?? 1) >= least.kappa) return null
  const how = kappa === null ? '' : `, kappa ${kappa.toFixed(2)}`
  return `The judge agrees poorly with people (${percent(agreement?.rate ?? 0)} of ${labels}${how}): do not lean on its rates; mend the expectations or take another judge.`
}
