/** Prints the plans of --dry-run with estimates, and what would refuse the real start; returns the exit code of that start. */
import { jsonText } from '../../../base/json/json_text.ts'
import type { PlanOutcome } from '../../../flows/bench/bench_several.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import { toExitCode } from '../../error_code.ts'
import { exitCodes } from '../../exit_codes.ts'
import { sayError } from '../../print_error.ts'
import { designLines } from './design_lines.ts'
import { estimateLines } from './estimate_lines.ts'
import { explainLines } from './explain_lines.ts'
import { planLines } from './plan_lines.ts'

/** A null plan has nothing to do. Failures are already printed. */
export function showPlans(
  plans: readonly PlanOutcome<EstimatedPlan | null>[],
  how: { json: boolean; concurrency: number; explain: boolean },
): number {
  const planned = plans.flatMap((one) => (one.status === 'planned' && one.plan !== null ? [one.plan] : []))
  const texts = planned.map((plan) => {
    const cache = how.explain && (plan.cache ?? [])
    if (how.json) return jsonText(asJson(plan, cache))
    const explained = cache ? explainLines(cache) : []
    return [...planLines(plan), ...estimateLines(plan, how.concurrency), ...designLines(plan), ...explained].join('\n')
  })
  if (texts.length > 0) process.stdout.write(`${texts.join(how.json ? '\n' : '\n\n')}\n`)
  const codes = plans.flatMap((one) => (one.status === 'failed' ? [toExitCode(one.error)] : []))
  for (const { refusals } of planned) {
    for (const reason of refusals) sayError(reason, { json: false, goesOn: null })
    const [first] = refusals
    if (first !== undefined) codes.push(toExitCode(first))
  }
  return [exitCodes.bug, exitCodes.usage, exitCodes.incomplete].find((code) => codes.includes(code)) ?? exitCodes.done
}

function asJson(
  { plan, estimate, detectable, needed, review, refusals }: EstimatedPlan,
  cache: EstimatedPlan['cache'] | false,
) {
  const { commands } = review
  const [refusal] = refusals
  return {
    ...plan,
    commands,
    ...(refusal && { refused: { message: refusal.message, fix: refusal.fix } }),
    estimate,
    detectable,
    ...(needed && { needed }),
    ...(cache && { cache }),
  }
}
