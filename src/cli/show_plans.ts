/** Prints what --dry-run found: each plan with its estimate; gives the worst exit code of what could not be planned. */
import type { OnePlan } from '../flows/bench_many.ts'
import type { Planned } from '../flows/plan_with_estimate.ts'
import { designLines } from './design_lines.ts'
import { codeFor } from './error_code.ts'
import { estimateLines } from './estimate_lines.ts'
import { exitCodes } from './exit.ts'
import { explainLines } from './explain_lines.ts'
import { planLines } from './plan_lines.ts'

/** A plan that is null has nothing to do. What failed was said already. */
export function showPlans(
  plans: readonly OnePlan<Planned | null>[],
  how: { json: boolean; concurrency: number; explain: boolean },
): number {
  const planned = plans.flatMap((one) => (one.status === 'planned' && one.plan !== null ? [one.plan] : []))
  const texts = planned.map((plan) => {
    const cache = how.explain && (plan.cache ?? [])
    if (how.json) return JSON.stringify(asJson(plan, cache))
    const explained = cache ? explainLines(cache) : []
    return [...planLines(plan), ...estimateLines(plan, how.concurrency), ...designLines(plan), ...explained].join('\n')
  })
  if (texts.length > 0) process.stdout.write(`${texts.join(how.json ? '\n' : '\n\n')}\n`)
  const codes = plans.flatMap((one) => (one.status === 'failed' ? [codeFor(one.error)] : []))
  return [exitCodes.bug, exitCodes.usage, exitCodes.incomplete].find((code) => codes.includes(code)) ?? exitCodes.done
}

function asJson({ plan, estimate, detectable, needed }: Planned, cache: Planned['cache'] | false) {
  return { ...plan, estimate, detectable, ...(needed && { needed }), ...(cache && { cache }) }
}
