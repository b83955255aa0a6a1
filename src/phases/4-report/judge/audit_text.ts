/** An audit in sentences: agreement, the corrected rates, and why not to rely on them. */
import type { AuditSummary } from '../../../../schemas/audit.ts'
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { formatSigned } from '../stats/numbers/round.ts'
import { formatConfiguration, formatPercent, hundredths } from '../text/format.ts'

type CorrectedDifference = NonNullable<Statistics['judge_difference']>

/** `banner`: shown prominently; null: no objection to the rates. `difference`: of all verdicts, if it can be corrected. */
export function auditText(
  { sentence, corrected, withheld, banner, by_configuration }: AuditSummary,
  difference?: CorrectedDifference | null,
): { lines: string[]; banner: string | null } {
  const rates = corrected === null ? [] : [correctedText(corrected, by_configuration != null)]
  const reason = withheld == null ? [] : [withheld]
  const gain = difference == null ? [] : [differenceText(difference)]
  return { lines: [sentence, ...rates, ...reason, ...gain], banner }
}

function correctedText(corrected: NonNullable<AuditSummary['corrected']>, isOwn: boolean): string {
  const rates = Object.entries(corrected)
  const arms = rates.map(([arm, { rate, ci_low, ci_high, judged }]) => {
    const interval = `${formatPercent(rate)} [${formatPercent(ci_low)}, ${formatPercent(ci_high)}]`
    return `${formatConfiguration(arm)} ${interval} instead of ${formatPercent(judged)}`
  })
  const labels = isOwn
    ? ' (error rates from the labels of each configuration)'
    : ' (error rates from the labels of both configurations together)'
  return `Share of judged statements that are met, corrected for the judge's errors: ${arms.join('; ')}${rates.length > 1 ? labels : ''}.`
}

function differenceText({ mean, ci_low, ci_high }: CorrectedDifference): string {
  const points = formatSigned(hundredths(mean), 0)
  return `Corrected for the judge's errors, the difference is ${points} points, 95% CI [${hundredths(ci_low)}, ${hundredths(ci_high)}].`
}
