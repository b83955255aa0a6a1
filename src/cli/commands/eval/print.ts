/** Prints the result or the plan of eval: a line for each case, totals and paths; returns the exit code. */
import path from 'node:path'
import type { EvalCaseResult, EvalResult } from '../../../../schemas/eval_result.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { BrokenSuite, EvalPlans, EvalsResult } from '../../../flows/eval/eval_request.ts'
import { isEvalFinished, isLogUnwritten } from '../../../flows/eval/resume_eval.ts'
import { loadFormatSteps } from '../../../flows/format_steps.ts'
import { summarizeEval } from '../../../phases/4-report/eval/eval_verdict.ts'
import { suspiciousCases } from '../../../phases/4-report/judge/suspicious_runs.ts'
import { quarantineSentence } from '../../../phases/4-report/text/selected_cases.ts'
import { chooseExitCode, exitCodes } from '../../exit_codes.ts'
import { errorLines, findErrorFix, toExitCode } from '../../print_error.ts'
import { type ResumeWay, resumeHint } from '../../terminal/interrupt.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  durationText,
  oneLine,
  percentText,
  toSafeLine,
} from '../../terminal/style.ts'
import { planLines } from '../bench/plan_lines.ts'
import { estimateLines } from '../bench/print_plans.ts'

export interface HowToShowEvals {
  json: boolean
  interrupted: boolean
  goesOn: ResumeWay
  summaryOnly: boolean
  /** Reports, absolute. */
  wrote: readonly string[]
}

/** Exit code 0; 1 when a case fails; 3 when a case was not judged or a suite did not run (takes precedence); 130 after Ctrl-C. */
export async function showEvals({ results, broken }: EvalsResult, how: HowToShowEvals): Promise<number> {
  const cases = results.flatMap((one) => one.cases)
  const summary = summarizeEval(cases)
  const code = how.interrupted ? exitCodes.interrupted : evalExitCode(summary, broken, results)
  if (how.json) {
    const suites = results.map(({ plan: _, ...result }) => result)
    const unread = broken.map(({ place, format, error }) => ({ path: place, format, message: error.message }))
    const line = { type: 'result', exit_code: code, summary, suites, broken: unread, reports: how.wrote }
    process.stdout.write(`${jsonText(line)}\n`)
    return code
  }
  const { bold, dim, yellow } = colours(process.stdout)
  const lines = [
    ...(await Promise.all(results.map((one) => evalResultLines(one, how)))).flat(),
    ...broken.flatMap(brokenLines),
    summaryLine(results, broken),
    ...[quarantineSentence(cases)].flatMap((line) => (line === null ? [] : yellow(toSafeLine(line)))),
    ...results.flatMap((one) => suspiciousCases(one.cases) ?? []).map((line) => yellow(bold(toSafeLine(line)))),
    ...(results.every((one) => isEvalFinished(one, one.plan))
      ? []
      : [dim(resumeHint('continue with the same command: only what was skipped is run or judged again', how.goesOn))]),
    ...results.map(({ folder }) => `${dim('results')} ${place(folder)}`),
    ...how.wrote.map((file) => `${dim('report')} ${place(file)}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return code
}

function evalExitCode(
  summary: EvalResult['summary'],
  broken: readonly BrokenSuite[],
  results: EvalsResult['results'],
): number {
  if (results.length === 0) return broken.length === 0 ? exitCodes.done : codeOfNone(broken) // --changed may select no suite
  const incomplete = summary.skipped > 0 || broken.length > 0 || results.some(isLogUnwritten)
  return chooseExitCode({ incomplete, failed: summary.failed > 0 })
}

/** The exit code if no suite could run. */
function codeOfNone(broken: readonly Pick<BrokenSuite, 'error'>[]): number {
  return broken.some(({ error }) => toExitCode(error) === exitCodes.usage) ? exitCodes.usage : exitCodes.incomplete
}

/** A format may have its own summary, as in its documentation. */
async function evalResultLines(result: EvalResult, { summaryOnly }: HowToShowEvals): Promise<string[]> {
  const { resultLines } = await loadFormatSteps(result.format)
  const own = resultLines?.(result, { onlyTotals: summaryOnly, showPath: place }) ?? null
  if (own !== null) return [...own.map((line) => toSafeLine(line)), '']
  return summaryOnly ? [] : suiteLines(result)
}

function suiteLines({ name, format, cases, suite, activation }: EvalResult): string[] {
  const { bold, dim } = colours(process.stdout)
  const isOfSkill = cases.some(({ target }) => target?.startsWith('skill:'))
  const how = isOfSkill && activation !== undefined ? `${format}, ${activation} activation` : format
  const rows = cases.map((one) => [
    verdictWord(one),
    oneLine(one.eval_name, 60),
    one.duration_seconds === null ? '' : durationText(one.duration_seconds * 1000),
    one.cost_usd === null ? '' : dollarsText(one.cost_usd),
  ])
  const drawn = alignColumns(rows, [2, 3])
  return [
    `${bold(toSafeLine(name))} ${dim(toSafeLine(`${place(suite)} (${how})`))}`,
    ...drawn.flatMap((line, index) => [line, ...reasonLines(cases[index])]),
    '',
  ]
}

function verdictWord({ verdict, cached, quarantine }: EvalCaseResult): string {
  const { green, red, yellow } = colours(process.stdout)
  const colour = { pass: green, fail: red, skip: yellow }[verdict]
  const marks = [cached ? ' (cached)' : '', quarantine === undefined ? '' : ' (quarantined)']
  return colour(`${verdict === 'fail' ? 'FAIL' : verdict}${marks.join('')}`)
}

function reasonLines(one: EvalCaseResult | undefined): string[] {
  if (one === undefined) return []
  const owners = one.verdict === 'fail' && one.owners ? [`owners: ${one.owners.join(', ')}`] : []
  const said = [
    ...(one.reason === null ? [] : [one.reason]),
    ...owners,
    ...one.warnings.map((text) => `warning: ${text}`),
  ]
  return said.map((text) => `      ${oneLine(text, 300)}`)
}

function brokenLines({ place: file, format, error }: BrokenSuite): string[] {
  const { red } = colours(process.stdout)
  const fix = findErrorFix(error)
  const start = error.message.includes(file) ? '' : `${place(file)} (${format}): `
  return errorLines(oneLine(`${start}${error.message}`, 500), fix, red)
}

function summaryLine(results: EvalsResult['results'], broken: readonly BrokenSuite[]): string {
  const { bold } = colours(process.stdout)
  const cases = results.flatMap((one) => one.cases)
  const { total, passed, failed, skipped, pass_rate } = summarizeEval(cases)
  const costs = cases.filter(({ run }) => run !== null).map(({ cost_usd }) => cost_usd)
  const usd = costs.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0)
  const parts = [
    `${passed} of ${total} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(broken.length > 0 ? [`${broken.length} ${broken.length === 1 ? 'suite' : 'suites'} not run`] : []),
    ...(pass_rate !== null && skipped > 0 ? [`${percentText(pass_rate)} of those decided`] : []),
    costs.length === 0 ? '' : usd === null ? 'cost unknown' : dollarsText(usd),
  ]
  return bold(parts.filter(Boolean).join(', '))
}

function place(file: string): string {
  return toSafeLine(path.relative(process.cwd(), file) || file)
}

/** Prints each plan of --dry-run, and what would refuse its start; returns the exit code of that start. */
export function showEvalPlans({ plans, broken }: EvalPlans, how: { json: boolean; concurrency: number }): number {
  const { json, concurrency } = how
  const refused = plans.flatMap(({ plan, refusals }) =>
    refusals.map((error) => ({ place: plan.suite.path, format: plan.suite.format, error })),
  )
  const shown = plans.map((one) =>
    json
      ? jsonText({ ...one.plan, commands: one.review.commands, estimate: one.estimate })
      : [...planLines(one), ...estimateLines(one, concurrency)].join('\n'),
  )
  const unable = [...refused, ...broken]
  const errors = unable.flatMap((one) => {
    const { message } = one.error
    return json
      ? [jsonText({ type: 'error', path: one.place, message, fix: findErrorFix(one.error) })]
      : brokenLines(one)
  })
  process.stdout.write(`${[...shown, ...errors].join(json ? '\n' : '\n\n')}\n`)
  // a case that can't run is skipped, so the start ends with 3
  const isSkipping = plans.some(({ plan }) => plan.cases.some((one) => one.cannot_run !== null))
  if (unable.length === 0) return isSkipping ? exitCodes.incomplete : exitCodes.done
  const firsts = [...plans.flatMap(({ refusals }) => refusals.slice(0, 1)), ...broken.map(({ error }) => error)]
  const starts = plans.some(({ refusals }) => refusals.length === 0)
  return starts ? exitCodes.incomplete : codeOfNone(firsts.map((error) => ({ error })))
}
