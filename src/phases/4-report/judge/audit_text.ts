/** An audit in sentences: agreement, the corrected rates, and why not to rely on them. */
import type { AuditSummary } from '../../../../schemas/audit.ts'
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { formatConfiguration, formatInterval, formatPercent, formatWholePoints, pText } from '../text/format.ts'

/** `banner`: shown prominently; null: no objection to the rates. `statistics`: with the corrected difference, if there is one. */
export function auditText(
  { sentence, corrected, withheld, banner, by_configuration, favours, labels_to_tell: toTell }: AuditSummary,
  statistics: Pick<Statistics, 'alpha' | 'judge_difference'> | undefined,
): { lines: string[]; banner: string | null } {
  const rates = corrected === null ? [] : [correctedText(corrected, by_configuration != null)]
  const reason = withheld == null ? [] : [withheld]
  const difference = statistics?.judge_difference ?? null
  const gain = statistics === undefined || difference === null ? [] : [differenceText(difference, statistics.alpha)]
  const favour = favours == null ? [] : [favourText(favours)]
  const more = toTell == null ? [] : [openText(toTell)]
  return { lines: [sentence, ...rates, ...reason, ...favour, ...gain, ...more], banner }
}

function favourText({ configuration, p_value }: NonNullable<AuditSummary['favours']>): string {
  return `The judge passes statements ${formatConfiguration(configuration)} more readily than people do (${pText(p_value)}).`
}

function openText(labels: number): string {
  return `Whether the judge favours a configuration is open: ${labels} labels of statements that people pass, and as many of statements that they fail, in each configuration would show errors that differ by 20 points.`
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

function differenceText(
  { as_judged: judged, ...corrected }: NonNullable<Statistics['judge_difference']>,
  alpha: number,
): string {
  const shown = judged ?? corrected
  const what = judged
    ? "The difference is corrected for that; by the judge's verdicts it"
    : "Corrected for the judge's errors, the difference"
  return `${what} is ${formatWholePoints(shown.mean)} points, ${formatInterval(shown, alpha)}.`
}
