/** The result of a prune in one sentence, the verdict first. */
import type { Prune } from '../../../schemas/prune.ts'
import { formatInterval } from '../../phases/4-report/text/difference_text.ts'
import { formatPlural, formatRates } from '../../phases/4-report/text/format.ts'

export function describePrune({ stopped, screening, certification, dropped, plan, ended_at }: Prune): string {
  if (certification !== null) return describeDiet(certification, { dropped: dropped.length, units: plan.units })
  if (stopped !== null) return `Not ended: ${stopped.message}.`
  if (ended_at === null) return screening === null ? 'The screening has not ended.' : 'The certification has not ended.'
  return `Nothing to leave out: each of ${formatPlural(plan.units, 'unit')} helps, or a loss of ${Math.round(100 * plan.detect)} points without it is not ruled out.`
}

function describeDiet(
  { result, reason, full, pruned, difference, cost, n_cases, n_runs }: NonNullable<Prune['certification']>,
  { dropped, units }: { dropped: number; units: number },
): string {
  if (full === null || pruned === null || difference === null) return `Not shown to be as good and cheaper: ${reason}.`
  const rates = formatRates(pruned, full)
  const rate = `pass rate ${rates.candidate} without ${dropped} of ${formatPlural(units, 'unit')}, ${rates.baseline} with all: ${rates.difference} points, ${formatInterval(difference, 0.05)} (${formatPlural(n_cases, 'case')}, ${formatPlural(n_runs, 'run')})`
  if (result === 'kept_full') return `Not shown to be as good and cheaper: ${rate}; ${reason}. The whole skill stays.`
  const ratio = cost === null ? '' : `; ${cost.unit === 'usd' ? 'cost' : 'tokens'} × ${cost.ratio.toFixed(2)}`
  const most = cost?.upper_bound == null ? '' : `, at most × ${cost.upper_bound.toFixed(2)}`
  return `As good and cheaper: ${rate}${ratio}${most}; ${reason}.`
}
