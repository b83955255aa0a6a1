/** Prints the plans of --dry-run with estimates, and what would refuse the real start; returns the exit code of that start. */
import type { CacheExplanation } from '../../../../schemas/cache_report.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { EstimatedPlan } from '../../../flows/bench/plan_with_estimate.ts'
import type { Estimate } from '../../../flows/estimate/estimate_bench.ts'
import { usualFactor } from '../../../flows/estimate/usual_usage.ts'
import { lookText } from '../../../phases/4-report/benchmark/provenance.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { findWorstExit } from '../../exit_codes.ts'
import { sayError, toExitCode } from '../../print_error.ts'
import { alignColumns, dollarsText, durationText, oneLine, toSafeLine } from '../../terminal/style.ts'
import { designLines, planLines } from './plan_lines.ts'

/** The result of planning one benchmark; a null plan has nothing to do. */
export type PlanOutcome =
  | { status: 'planned'; skill: string; cell: string | null; plan: EstimatedPlan | null }
  | { status: 'failed'; skill: string; cell: string | null; error: unknown }

/** Failures are already printed. */
export function showPlans(
  plans: readonly PlanOutcome[],
  how: { json: boolean; concurrency: number; explain: boolean; budget: number | null },
): number {
  const planned = plans.flatMap((one) => (one.status === 'planned' && one.plan !== null ? [one.plan] : []))
  const texts = planned.map((plan) => {
    const cache = how.explain && (plan.cache ?? [])
    if (how.json) return jsonText(asJson(plan, cache))
    const explained = cache ? explainLines(cache) : []
    return [
      ...planLines(plan),
      ...estimateLines(plan, how.concurrency, how.budget),
      ...designLines(plan),
      ...explained,
    ].join('\n')
  })
  if (texts.length > 0) process.stdout.write(`${texts.join(how.json ? '\n' : '\n\n')}\n`)
  const codes = plans.flatMap((one) => (one.status === 'failed' ? [toExitCode(one.error)] : []))
  for (const { refusals } of planned) {
    for (const reason of refusals) sayError(reason, { json: false, goesOn: null })
    const [first] = refusals
    if (first !== undefined) codes.push(toExitCode(first))
  }
  return findWorstExit(codes)
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

/** --explain: for each run, whether it comes from the cache, and if not why. */
function explainLines(runs: readonly CacheExplanation[]): string[] {
  if (runs.length === 0) return ['', 'cache     this workspace has no cached runs yet']
  const rows = runs.map((run) => [run.run_id, run.status === 'made' ? 'new' : run.status, ...explanationTexts(run)])
  return ['', ...alignColumns([['run', 'cache', 'grading', 'why'], ...rows]).map((line) => oneLine(line, 500))]
}

function explanationTexts(run: CacheExplanation): [string, string] {
  switch (run.status) {
    case 'reused':
      return [run.graded ? 'reused' : 'new', `everything is the same as in ${run.from.benchmark}`]
    case 'made':
      return ['new', run.why]
  }
}

export function estimateLines(
  { plan, estimate }: Pick<EstimatedPlan, 'plan' | 'estimate'>,
  concurrency: number,
  budget: number | null = null,
): string[] {
  const { arms, judge, from_runs: from, done, reused, again, looks } = estimate
  const most = plan.options.until === undefined ? '' : 'at most '
  const kept = [
    ...batchLines(estimate),
    ...(done > 0
      ? [`          ${formatPlural(done, 'run')} ${done === 1 ? 'is' : 'are'} already finished and kept`]
      : []),
    ...(reused > 0 ? [`          ${formatPlural(reused, 'run')} ${reused === 1 ? 'is' : 'are'} reused`] : []),
    ...(looks === undefined ? [] : [`          ${lookText(looks)}`]),
    ...(again > 0
      ? [`          ${formatPlural(again, 'older run')} ${again === 1 ? 'is' : 'are'} run again (--baseline-age)`]
      : []),
  ]
  if (from === 0 && estimate.usd === null && estimate.tokens === null)
    return ['estimate  unknown: this engine reports no cost, and there is no earlier run here', ...kept]
  const parts = [
    ...arms.map((arm) => `${arm.runs} ${arm.configuration} ${dollarsText(arm.usd)}`),
    ...(judge.gradings > 0 ? [`${formatPlural(judge.gradings, 'grading')} ${dollarsText(judge.usd)}`] : []),
  ]
  return [
    toSafeLine(
      `estimate  ${most}${from === 0 ? 'about ' : ''}${totalText(estimate)} with ${concurrency} at once (${estimateSource(estimate)})`,
    ),
    toSafeLine(`          ${parts.join(' · ')}`),
    ...kept,
    ...budgetLines(estimate, concurrency, budget),
  ]
}

/** What the budget may be exceeded by: a run starts if it fits at its expected cost. Empty without a budget or an estimate. */
function budgetLines({ usd, arms }: Estimate, concurrency: number, budget: number | null): string[] {
  const runs = arms.reduce((sum, arm) => sum + arm.runs, 0)
  if (budget === null || usd === null || runs === 0) return []
  const most = Math.min(concurrency, runs)
  const more = dollarsText((most * usd) / runs)
  return [
    `budget    ${dollarsText(budget)}; exceeded at most by what ${formatPlural(most, 'run')} in progress cost more than expected: ${more} if ${most === 1 ? 'it costs' : 'all cost'} twice as much`,
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

function totalText({ usd, tokens, seconds, from_runs: from }: Estimate): string {
  const money = dollarsText(usd)
  const used =
    tokens === null
      ? []
      : [`${(from === 0 ? Number(tokens.toPrecision(2)) : Math.round(tokens)).toLocaleString('en-US')} tokens`]
  return [money, ...used, seconds === null ? 'unknown time' : durationText(seconds * 1000)].join(', ')
}

/** "from 24 earlier runs"; without any, the range that real amounts are usually in. `usd`: of everything the estimate is about. */
export function estimateSource({ usd, from_runs: from }: Pick<Estimate, 'usd' | 'from_runs'>): string {
  if (from > 0) return `from ${formatPlural(from, 'earlier run')}`
  const range = usd === null ? '' : `, ${dollarsText(usd / usualFactor)} to ${dollarsText(usd * usualFactor)}`
  return `usual amounts${range}: no earlier run here`
}
