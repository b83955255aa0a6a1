/** Prints what eval ended with, or would do: a line a case, the sums, the places; gives the exit code. */
import path from 'node:path'
import type { EvalCaseResult, EvalResult } from '../../schemas/eval_result.ts'
import type { BrokenSuite, EvalPlans, EvalsResult } from '../flows/eval/request.ts'
import { isFinished } from '../flows/eval/resume.ts'
import { evalSummary } from '../phases/4-report/eval_verdict.ts'
import { goldenSummary } from '../phases/4-report/golden/summary.ts'
import { codeFor, fixOf } from './error_code.ts'
import { exitCodes } from './exit.ts'
import { type Again, goingOn } from './interrupt.ts'
import { planLines } from './plan_lines.ts'
import { colours, columns, dollars, duration, oneLine, percent, safe } from './style.ts'

export interface HowToShowEvals {
  json: boolean
  interrupted: boolean
  goesOn: Again
  summaryOnly: boolean
  /** Reports, absolute. */
  wrote: readonly string[]
}

/** Exit code 0; 1 when a case fails; 3 when one could not be judged or a suite not be run (which wins); 130 after Ctrl-C. */
export function showEvals({ results, broken }: EvalsResult, how: HowToShowEvals): number {
  const cases = results.flatMap((one) => one.cases)
  const summary = evalSummary(cases)
  const code = how.interrupted ? exitCodes.interrupted : codeOf(summary, broken, results)
  if (how.json) {
    const suites = results.map(({ plan: _, ...result }) => result)
    const unread = broken.map(({ place, format, error }) => ({ path: place, format, message: error.message }))
    const line = { type: 'result', exit_code: code, summary, suites, broken: unread, reports: how.wrote }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    return code
  }
  const { dim } = colours(process.stdout)
  const lines = [
    ...results.flatMap((one) => linesOf(one, how)),
    ...broken.flatMap(brokenLines),
    summaryLine(results, broken),
    ...(results.every((one) => isFinished(one, one.plan))
      ? []
      : [dim(goingOn('the same command goes on: only what was skipped is run or judged again', how.goesOn))]),
    ...results.map(({ folder }) => `${dim('results')} ${place(folder)}`),
    ...how.wrote.map((file) => `${dim('report')} ${place(file)}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return code
}

function codeOf(
  summary: EvalResult['summary'],
  broken: readonly BrokenSuite[],
  results: EvalsResult['results'],
): number {
  if (results.length === 0)
    return broken.some(({ error }) => codeFor(error) === exitCodes.usage) ? exitCodes.usage : exitCodes.incomplete
  if (summary.skipped > 0 || broken.length > 0 || results.some(({ golden }) => golden?.unwritten !== undefined))
    return exitCodes.incomplete
  return summary.failed > 0 ? exitCodes.gateFailed : exitCodes.done
}

/** Golden tests have a summary of their own, which their documents show. */
function linesOf(result: EvalResult, { summaryOnly }: HowToShowEvals): string[] {
  const { golden, name, started_at, duration_seconds } = result
  if (golden === undefined) return summaryOnly ? [] : suiteLines(result)
  const { threshold, log, ...rest } = golden
  const shown = { ...rest, agent: name, durationSeconds: duration_seconds, thresholdPass: threshold, log: place(log) }
  const lines = goldenSummary({ ...shown, startedAt: new Date(started_at) }, { totals: summaryOnly })
  return [...lines.map((line) => safe(line)), '']
}

function suiteLines({ name, format, cases, suite }: EvalResult): string[] {
  const { bold, dim } = colours(process.stdout)
  const rows = cases.map((one) => [verdictWord(one), oneLine(one.eval_name, 60), timeOf(one), costOf(one)])
  const drawn = columns(rows, [2, 3])
  return [
    `${bold(safe(name))} ${dim(safe(`${place(suite)} (${format})`))}`,
    ...drawn.flatMap((line, index) => [line, ...reasonLines(cases[index])]),
    '',
  ]
}

function verdictWord({ verdict, cached }: EvalCaseResult): string {
  const { green, red, yellow } = colours(process.stdout)
  const colour = { pass: green, fail: red, skip: yellow }[verdict]
  return colour(`${verdict === 'fail' ? 'FAIL' : verdict}${cached ? ' (cached)' : ''}`)
}

function reasonLines(one: EvalCaseResult | undefined): string[] {
  if (one === undefined) return []
  const said = [...(one.reason === null ? [] : [one.reason]), ...one.warnings.map((text) => `warning: ${text}`)]
  return said.map((text) => `      ${oneLine(text, 300)}`)
}

function timeOf({ duration_seconds: seconds }: EvalCaseResult): string {
  return seconds === null ? '' : duration(seconds * 1000)
}

function costOf({ cost_usd: usd }: EvalCaseResult): string {
  return usd === null ? '' : dollars(usd)
}

function brokenLines({ place: file, format, error }: BrokenSuite): string[] {
  const { red } = colours(process.stdout)
  const fix = fixOf(error)
  const start = error.message.includes(file) ? '' : `${place(file)} (${format}): `
  return [
    `${red('error')} ${oneLine(`${start}${error.message}`, 500)}`,
    ...(fix === null ? [] : [`      ${safe(fix)}`]),
  ]
}

function summaryLine(results: EvalsResult['results'], broken: readonly BrokenSuite[]): string {
  const { bold } = colours(process.stdout)
  const cases = results.flatMap((one) => one.cases)
  const { total, passed, failed, skipped, pass_rate } = evalSummary(cases)
  const costs = cases.filter(({ run }) => run !== null).map(({ cost_usd }) => cost_usd)
  const usd = costs.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0)
  const parts = [
    `${passed} of ${total} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(broken.length > 0 ? [`${broken.length} ${broken.length === 1 ? 'suite' : 'suites'} not run`] : []),
    ...(pass_rate !== null && skipped > 0 ? [`${percent(pass_rate)} of those decided`] : []),
    costs.length === 0 ? '' : usd === null ? 'cost unknown' : dollars(usd),
  ]
  return bold(parts.filter(Boolean).join(', '))
}

function place(file: string): string {
  return safe(path.relative(process.cwd(), file) || file)
}

/** What --dry-run says: each plan; what can't be planned keeps none of the others from being shown. */
export function showEvalPlans({ plans, broken }: EvalPlans, json: boolean): number {
  const shown = plans.map((one) => (json ? JSON.stringify(one.plan) : planLines(one).join('\n')))
  const unread = broken.flatMap((one) =>
    json ? [JSON.stringify({ type: 'error', path: one.place, message: one.error.message })] : brokenLines(one),
  )
  process.stdout.write(`${[...shown, ...unread].join(json ? '\n' : '\n\n')}\n`)
  return broken.length > 0 ? exitCodes.usage : exitCodes.done
}
