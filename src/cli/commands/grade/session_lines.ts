/** Prints which recorded sessions are graded, and which are not. */
import { jsonText } from '../../../base/json/json_text.ts'
import type { PreparedSessions } from '../../../flows/grade/sessions/grade_sessions.ts'
import { formatConfiguration, formatDollars, formatPlural } from '../../../phases/4-report/text/format.ts'
import { exitCodes } from '../../exit_codes.ts'
import { toSafeLine } from '../../terminal/style.ts'

/** Files that are named; beyond it only their number. */
const mostNamed = 5

/** Says which sessions are not graded, and which records were not read. With json, as a line of its own. */
export function sayLeftOut(prepared: PreparedSessions, json: boolean): void {
  const { leftOut, unread, sessions } = prepared
  if (json)
    process.stdout.write(`${jsonText({ type: 'sessions', graded: sessions.length, left_out: leftOut, unread })}\n`)
  else for (const line of leftOutLines(prepared)) process.stderr.write(`${toSafeLine(line)}\n`)
}

/** The plan of --dry-run; returns the exit code. */
export function showSessionPlan(prepared: PreparedSessions, json: boolean): number {
  const { plan, sessions, leftOut, unread, estimate, workspace } = prepared
  const runs = sessions.map(({ session, spec }) => {
    const { run_id, eval_id, eval_name, configuration } = spec
    return { file: session.file, agent: session.agent, run_id, eval_id, eval_name, configuration }
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
