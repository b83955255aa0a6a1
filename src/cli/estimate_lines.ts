/** What a plan will take, in words. */
import type { Amount, Estimate } from '../flows/estimate_bench.ts'
import type { Planned } from '../flows/plan_with_estimate.ts'
import { plural } from '../phases/4-report/words.ts'
import { dollars, duration, safe } from './style.ts'

export function estimateLines({ plan, estimate, workspace }: Planned, concurrency: number): string[] {
  const { arms, judge, from_runs: from, done, reused } = estimate
  const most = plan.options.until === undefined ? '' : 'at most '
  const kept = [
    ...(done > 0 ? [`          ${plural(done, 'run')} ${done === 1 ? 'is' : 'are'} there already and kept`] : []),
    ...(reused > 0
      ? [`          ${plural(reused, 'run')} ${reused === 1 ? 'is' : 'are'} in the cache and reused`]
      : []),
  ]
  if (from === 0) return [safe(`estimate  unknown: no earlier run of this engine and judge in ${workspace}`), ...kept]
  const parts = [
    ...arms.map((arm) => `${arm.runs} ${arm.configuration} ${amountText(arm)}`),
    ...(judge.gradings > 0 ? [`${plural(judge.gradings, 'grading')} ${amountText(judge)}`] : []),
  ]
  return [
    safe(
      `estimate  ${most}${totalText(estimate)} with ${concurrency} at once (from ${from} earlier run${from === 1 ? '' : 's'})`,
    ),
    safe(`          ${parts.join(' · ')}`),
    ...kept,
  ]
}

/** Money and time of the whole. */
function totalText({ usd, tokens, seconds }: Estimate): string {
  const money = usd === null ? 'unknown cost' : dollars(usd)
  const used = tokens === null ? [] : [`${Math.round(tokens).toLocaleString('en-US')} tokens`]
  return [money, ...used, seconds === null ? 'unknown time' : duration(seconds * 1000)].join(', ')
}

function amountText({ usd }: Amount): string {
  return usd === null ? 'unknown cost' : dollars(usd)
}
