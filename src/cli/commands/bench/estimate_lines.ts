/** Describes the estimate of a plan. */
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { Estimate, EstimatedUsage } from '../../../flows/estimate/estimate_bench.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { dollarsText, durationText, toSafeLine } from '../../terminal/style.ts'

export function estimateLines({ plan, estimate, workspace }: EstimatedPlan, concurrency: number): string[] {
  const { arms, judge, from_runs: from, done, reused, again } = estimate
  const most = plan.options.until === undefined ? '' : 'at most '
  const kept = [
    ...batchLines(estimate),
    ...(done > 0
      ? [`          ${formatPlural(done, 'run')} ${done === 1 ? 'is' : 'are'} already finished and kept`]
      : []),
    ...(reused > 0 ? [`          ${formatPlural(reused, 'run')} ${reused === 1 ? 'is' : 'are'} reused`] : []),
    ...(again > 0
      ? [`          ${formatPlural(again, 'older run')} ${again === 1 ? 'is' : 'are'} run again (--baseline-age)`]
      : []),
  ]
  if (from === 0)
    return [toSafeLine(`estimate  unknown: no earlier run of this engine and judge in ${workspace}`), ...kept]
  const parts = [
    ...arms.map((arm) => `${arm.runs} ${arm.configuration} ${amountText(arm)}`),
    ...(judge.gradings > 0 ? [`${formatPlural(judge.gradings, 'grading')} ${amountText(judge)}`] : []),
  ]
  return [
    toSafeLine(
      `estimate  ${most}${totalText(estimate)} with ${concurrency} at once (from ${from} earlier run${from === 1 ? '' : 's'})`,
    ),
    toSafeLine(`          ${parts.join(' · ')}`),
    ...kept,
  ]
}

/** How many gradings are in a batch, and why others are not; empty without batches. */
function batchLines({ batched_gradings: batched, judge: { gradings } }: Estimate): string[] {
  if (batched === undefined || gradings === 0) return []
  const direct = gradings - batched
  const others = direct === 0 ? '' : `, ${direct} directly: a case has input files, or a judge of its format`
  return [
    `          ${batched} of ${formatPlural(gradings, 'grading')} in a batch at half the price${others}`,
    '          a run with images, or too long for the prompt, is also graded directly',
  ]
}

/** Total cost and time. */
function totalText({ usd, tokens, seconds }: Estimate): string {
  const money = usd === null ? 'unknown cost' : dollarsText(usd)
  const used = tokens === null ? [] : [`${Math.round(tokens).toLocaleString('en-US')} tokens`]
  return [money, ...used, seconds === null ? 'unknown time' : durationText(seconds * 1000)].join(', ')
}

function amountText({ usd }: EstimatedUsage): string {
  return usd === null ? 'unknown cost' : dollarsText(usd)
}
