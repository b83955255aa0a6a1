/** `whetstone grade`: grades finished runs again without repeating them, and sessions that already happened. */
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { PreparedSessions } from '../../../flows/grade/sessions/grade_sessions.ts'
import { noComparisonReason, readsComparison } from '../../../phases/4-report/gate/check_gates.ts'
import type { Gate } from '../../../phases/4-report/gate/parse_gate.ts'
import { formatConfiguration, formatDollars, formatPlural } from '../../../phases/4-report/text/format.ts'
import { applyConfig, locateBenchmarkConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { parseGates } from '../../reporters/gates.ts'
import { parseReporters } from '../../reporters/reporters.ts'
import { resumeWays } from '../../terminal/interrupt.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { judgingWish } from '../options/common_flags.ts'
import { resolveGivenBenchmark } from '../options/named_benchmark.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { gradeFlags, sessionFlags } from './options.ts'

function gradeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      describe: 'benchmark folder, or workspace (its newest benchmark)',
    })
    .options(sessionFlags)
    .options(gradeFlags)
    .usage(
      '$0 grade [benchmark] [options]\n\nGrade finished runs again, without running them, or sessions that already happened.\n\nUses the current expectations and checks of the suite, then writes benchmark.json again. With --session it reads sessions of Claude Code, Codex, opencode, or in ATIF.',
    )
    .example('$0 grade workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'grade after editing the expectations')
    .example('$0 grade <benchmark> --judge anthropic:opus --anew', 'grade with another judge')
    .example('$0 grade <benchmark> --again 3', 'measure the noise of the judge with three more gradings')
    .example('$0 grade --session ~/.claude/projects/-home-me-app --skill skills/pdf', 'grade sessions that happened')
}

type GradeArguments = ReturnType<ReturnType<typeof gradeOptions>['parseSync']>

export function addGrade(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'grade [benchmark]'
  const options = (one: Argv) => groupOptions(gradeOptions(one), { ...sessionFlags, ...gradeFlags }, argv)
  return args.command(usage, 'grade finished runs again, or recorded sessions', options, async (given) => {
    refuseMixtures(given)
    const place = given.benchmark ?? given.session ?? ''
    const benchmark = given.benchmark === undefined ? place : await resolveGivenBenchmark(place, given)
    const request = { command: 'grade', usage, options: gradeOptions, argv, args: given } as const
    const parsed = await applyConfig(benchmark, { ...request, start: await locateBenchmarkConfig(benchmark) })
    if (parsed === null) return done(exitCodes.done)
    done(
      parsed.session === undefined ? await gradeAgain(parsed, benchmark) : await gradeSession(parsed, parsed.session),
    )
  })
}

/** Throws UserError unless there is either a benchmark or a session, with flags that go with it. */
function refuseMixtures(given: GradeArguments): void {
  const { benchmark, session, suite, expect, skill, files, workspace, dryRun } = given
  if (session !== undefined) {
    if (benchmark !== undefined) throw new UserError('--session with a benchmark', 'give one of them')
    return
  }
  if (benchmark === undefined)
    throw new UserError('nothing to grade', 'give a benchmark folder, or --session with a file or folder of sessions')
  const flags = { '--suite': suite, '--skill': skill, '--files': files, '--workspace': workspace }
  const others = Object.entries({ ...flags, '--dry-run': dryRun || undefined, '--expect': expect[0] })
  const [first] = others.flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (first !== undefined) throw new UserError(`${first} without --session`, `add --session, or remove ${first}`)
}

function readRequest(parsed: GradeArguments) {
  const { judge = null, baseUrl = null, case: cases, anew, again, cache, concurrency, passEnv, judgeBatch } = parsed
  const more = { judging: judgingWish(parsed), sandbox: sandboxWish(parsed) }
  return { judge, baseUrl, judgeBatch, cases, anew, again, cache, concurrency, passEnv, ...more }
}

async function readPipeline(parsed: GradeArguments) {
  return { gates: parseGates(parsed), reporters: await parseReporters(parsed.reporter) }
}

async function gradeAgain(parsed: GradeArguments, benchmark: string): Promise<number> {
  const { json, concurrency, anew } = parsed
  const pipeline = await readPipeline(parsed)
  const { grade } = await import('../../../flows/grade/grade.ts')
  const how = { json, goesOn: anew ? null : resumeWays.same }
  const request = { benchmark, ...readRequest(parsed) }
  const { result, interrupted } = await withFlow({ ...how, concurrency, waits: parsed }, (context) =>
    grade(request, context),
  )
  return await showResult(result, { ...how, ...pipeline, interrupted })
}

/** Throws UserError for a gate that no recorded sessions can pass; --fail-on with a verdict is one. */
function refuseComparisonGates(gates: readonly Gate[]): void {
  const refused = gates.find(readsComparison)
  if (refused === undefined) return
  const hint =
    'check a rate, such as --gate "run_summary.with_skill.pass_rate.mean >= 0.8", or use --fail-on suspicious'
  throw new UserError(`--gate or --fail-on "${refused.text}" with --session: ${noComparisonReason}`, hint)
}

async function gradeSession(parsed: GradeArguments, session: string): Promise<number> {
  const { json, concurrency, suite = null, skill = null, files = null, workspace = null, expect } = parsed
  const pipeline = await readPipeline(parsed)
  refuseComparisonGates(pipeline.gates)
  const { gradeSessions, prepareSessions } = await import('../../../flows/grade/sessions/grade_sessions.ts')
  const request = { session, suite, skill, files, workspace, expect, ...readRequest(parsed) }
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
