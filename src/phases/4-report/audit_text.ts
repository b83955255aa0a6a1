/** What an audit says, in sentences: agreement, the rates corrected by it, and why not to lean on them. */
import type { AuditSummary } from '../../../schemas/audit.ts'
import { armLabel, percent } from './words.ts'

/** The banner apart, which stands out; null: nothing speaks against the rates. */
export function auditText({ sentence, corrected, withheld, banner }: AuditSummary): {
  lines: string[]
  banner: string | null
} {
  const rates = corrected === null ? (withheld ?? null) : correctedText(corrected)
  return { lines: [sentence, ...(rates === null ? [] : [rates])], banner }
}

function correctedText(corrected: NonNullable<AuditSummary['corrected']>): string {
  const arms = Object.entries(corrected).map(([arm, { rate, ci_low, ci_high, judged }]) => {
    const interval = `${percent(rate)} [${percent(ci_low)}, ${percent(ci_high)}]`
    return `${armLabel(arm)} ${interval}, where it says ${percent(judged)}`
  })
  return `Of what the judge decided, corrected for its errors, is met: ${arms.join('; ')}.`
}
