/** `grade --session`: grades recorded sessions in place of a benchmark. */
import type { InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { showResult } from '../../cli/commands/bench/print.ts'
import { type GradeArguments, readGradeRequest } from '../../cli/commands/grade/command.ts'
import { withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { readPipeline } from '../../cli/reporters/gates.ts'
import { toSafeLine } from '../../cli/terminal/style.ts'
import { noComparisonReason, readsComparison } from '../../phases/4-report/gate/check_gates.ts'
import type { Gate } from '../../phases/4-report/gate/parse_gate.ts'
import { formatConfiguration, formatDollars, formatPlural } from '../../phases/4-report/text/format.ts'
import type { PreparedSessions } from './grade/grade_sessions.ts'
import type { sessionFlags } from './modes.ts'

type SessionArguments = GradeArguments & InferredOptionTypes<typeof sessionFlags>

/** Throws UserError for a gate that no recorded sessions can pass; --fail-on with a verdict is one. */
function refuseComparisonGates(gates: readonly Gate[]): void {
  const refused = gates.find(readsComparison)
  if (refused === undefined) return
  const hint =
    'check a rate, such as --gate "run_summary.with_skill.pass_rate.mean >= 0.8", or use --fail-on suspicious'
  throw new UserError(`--gate or --fail-on "${refused.text}" with --session: ${noComparisonReason}`, hint)
}

/** Returns the exit code. */
export async function gradeSession(parsed: SessionArguments): Promise<number> {
  const { session = '', json, concurrency, suite = null, skill = null, files = null, workspace = null, expect } = parsed
  const pipeline = await readPipeline(parsed)
  refuseComparisonGates(pipeline.gates)
  const { gradeSessions, prepareSessions } = await import('./grade/grade_sessions.ts')
  const request = { session, suite, skill, files, workspace, expect, ...readGradeRequest(parsed) }
  const how = { json, goesOn: null }
  const flow = { ...how, concurrency, waits: parsed }
  if (parsed.dryRun) {
    const { result } = await withFlow({ ...flow, oneDocument: true }, (context) => prepareSessions(request, context))
    return showSessionPlan(result, json)
  }
  const { result: graded, interrupted } = await withFlow(flow, (context) => gradeSessions(request, context))
  sayLeftOut(graded.prepared, json)
  return await showResult(graded.result, { ...how, ...pipeline, interrupted })
}

/** Files that are named; beyond it only their number. */
const mostNamed = 5

/** Says which sessions are not graded, and which records were not read. With json, as a line of its own. */
function sayLeftOut(prepared: PreparedSessions, json: boolean): void {
  const { leftOut, unread, sessions } = prepared
  if (json)
    process.stdout.write(`${jsonText({ type: 'sessions', graded: sessions.length, left_out: leftOut, unread })}\n`)
  else for (const line of leftOutLines(prepared)) process.stderr.write(`${toSafeLine(line)}\n`)
}

/** The plan of --dry-run; returns the exit code. */
function showSessionPlan(prepared: PreparedSessions, json: boolean): number {
  const { plan, sessions, leftOut, unread, estimate, workspace } = prepared
  const runs = sessions.map(({ session, spec }) => {
    const { run_id, eval_id, eval_name, configuration } = spec
    const file = session.id.startsWith(session.file) ? session.id : session.file
    return { file, agent: session.agent, run_id, eval_id, eval_name, configuration }
  })
  if (json) {
    const judge = { ...estimate, calls: plan.calls.judge_calls, choice: plan.options.judge }
    const line = {
      type: 'session_plan',
      workspace,
      observational: true,
      sessions: runs,
      left_out: leftOut,
      unread,
      judge,
    }
    process.stdout.write(`${jsonText(line)}\n`)
    return exitCodes.done
  }
  const rows = runs.map(({ file, eval_id, eval_name, configuration }) => {
    return `  case ${eval_id} ${eval_name}, ${formatConfiguration(configuration)}: ${file}`
  })
  const lines = [
    `${formatPlural(runs.length, 'session')} to grade:`,
    ...rows,
    ...leftOutLines(prepared),
    priceLine(prepared),
  ]
  process.stdout.write(`${lines.map((line) => toSafeLine(line)).join('\n')}\n`)
  return exitCodes.done
}

function priceLine({ plan, estimate }: PreparedSessions): string {
  const { judge } = plan.options
  if (judge === null) return 'No judge is asked: code decides every statement.'
  const name = [judge.name, judge.model].filter(Boolean).join(':')
  const price = estimate.usd === null ? 'the price is not known before the first grading' : formatDollars(estimate.usd)
  return `${formatPlural(plan.calls.judge_calls, 'call')} of the judge ${name}: ${price}.`
}

function leftOutLines({ leftOut, unread, sessions, plan }: PreparedSessions): string[] {
  const named = leftOut.slice(0, mostNamed).map(({ file, reason }) => `  left out: ${file}: ${reason}`)
  const more = leftOut.length > mostNamed ? [`  and ${leftOut.length - mostNamed} more`] : []
  return [
    ...(leftOut.length === 0
      ? []
      : [`${leftOut.length} of ${leftOut.length + sessions.length} sessions are not graded:`]),
    ...named,
    ...more,
    ...(unread.count === 0
      ? []
      : [`${unread.count} of ${unread.of} records were not read, the first: ${unread.first}`]),
    ...plan.warnings.filter(({ file }) => file === '--session').map(({ message }) => message),
  ]
}
