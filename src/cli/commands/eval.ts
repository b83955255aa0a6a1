/** `whetstone eval`: one arm: does it pass? */

import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { EvalRequest } from '../../flows/eval/request.ts'
import { exitCodes } from '../exit.ts'
import { againUnless } from '../interrupt.ts'
import { report, reportersGiven } from '../report.ts'
import { refuseBadPlace } from '../report_place.ts'
import type { Reporter } from '../reporters.ts'
import { evalFlags } from './eval_flags.ts'
import { judgingWish } from './judge_flags.ts'
import { limitsOf } from './limit_flags.ts'
import { queueWish } from './queue_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function evalOptions(args: Argv) {
  return withJson(args)
    .positional('path', {
      type: 'string',
      demandOption: true,
      describe: 'a suite of any format, or a folder that holds some',
    })
    .positional('case', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'only these cases: id, name or glob',
    })
    .options(evalFlags)
    .usage(
      '$0 eval <path> [case..] [options]\n\none arm: does it pass?\n\nRuns each case once with what is under test, and gives a verdict a case: pass, fail, or skip where\nnothing can be said. Exit 1 when a case fails, 3 when one could not be judged. Formats: docs/formats.md.',
    )
    .example('$0 eval packages/pdf', 'every suite below')
    .example('$0 eval packages/pdf pdf-extraction-e2e --engine codex', 'one case on another engine')
    .example('$0 eval packages/pdf --target skill:pdf-tools --report', 'cases about one skill, with a report')
    .example('$0 eval . --dry-run', 'what would run?')
}

type EvalArguments = ArgumentsCamelCase<ReturnType<typeof evalOptions> extends Argv<infer T> ? T : never>

export function addEval(args: Argv, done: Done, argv: readonly string[]): Argv {
  const usage = 'eval <path> [case..]'
  return args.command(usage, 'one arm: does it pass?', evalOptions, async (given) => {
    refuseCaseFlag(argv)
    refuseMixtures(given)
    const { configuredFor } = await import('../config/of_suite.ts')
    const of = { command: 'eval', usage, options: evalOptions, argv, args: given, print: given } as const
    const parsed = await configuredFor({ ...of, place: given.path })
    done(parsed === null ? exitCodes.done : await start(parsed))
  })
}

/** The parser takes it for the names, and drops it: all cases would be run. */
function refuseCaseFlag(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const at = argv.slice(0, end < 0 ? argv.length : end).findIndex((word) => /^--case(=|$)/.test(word))
  if (at < 0) return
  const name = /^--case=(.*)$/s.exec(argv[at] ?? '')?.[1] ?? argv[at + 1] ?? '<case>'
  throw new UserError('eval takes cases without --case', `name them behind the path: whetstone eval <path> ${name}`)
}

function refuseMixtures({ all, case: cases, target, category, test, output, report }: EvalArguments): void {
  if (output !== undefined && !report)
    throw new UserError('--output without --report', 'add --report: it names its file')
  if (!all) return
  const given = [
    ...(cases.length > 0 ? [`the case ${cases[0]}`] : []),
    ...Object.entries({ target, category, test }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`],
    ),
  ]
  if (given.length > 0) throw new UserError(`--all with ${given.join(', ')}`, 'leave one of them out')
}

async function start(parsed: EvalArguments): Promise<number> {
  const request = requestOf(parsed)
  const { json, concurrency, dryRun, summaryOnly, output = null } = parsed
  const show = await import('../show_eval.ts')
  if (dryRun) {
    const { planEval } = await import('../../flows/eval/eval.ts')
    const { result } = await withFlow({ json, concurrency }, (context) => planEval(request, context))
    return show.showEvalPlans(result, json)
  }
  const reporters = await reportersGiven(parsed.reporter)
  if (output !== null) await refuseBadPlace('--output', path.resolve(output))
  const { evaluate } = await import('../../flows/eval/eval.ts')
  const goesOn = againUnless(parsed.fresh)
  const asked = { ...request, writes: writesOf(parsed, reporters) }
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn }, (context) => evaluate(asked, context))
  // verdicts are said whatever becomes of the reports
  const { writeReports } = await import('../../flows/eval/report.ts')
  const [own, others] = await Promise.allSettled([
    parsed.report ? writeReports(result.results, output, process.env) : [],
    report(reporters, ({ ofEvals }) => ofEvals, result.results),
  ])
  const wrote = own.status === 'fulfilled' ? own.value : []
  const code = show.showEvals(result, { json, interrupted, goesOn, summaryOnly, wrote })
  for (const end of [own, others]) if (end.status === 'rejected') throw end.reason
  return code
}

function writesOf(
  { report, output }: EvalArguments,
  reporters: readonly Reporter[],
): NonNullable<EvalRequest['writes']> {
  const files = reporters.flatMap((one) => (one.kind === 'github' ? [] : { flag: '--reporter', file: one.file }))
  const own = output === undefined ? [] : [{ flag: '--output', file: path.resolve(output) }]
  return { ...(report && { report: { output: output ?? null } }), files: [...own, ...files] }
}

function requestOf(parsed: EvalArguments): EvalRequest {
  return {
    path: parsed.path,
    format: parsed.format ?? null,
    cases: parsed.case,
    target: parsed.target ?? null,
    category: parsed.category ?? null,
    test: parsed.test ?? null,
    engine: parsed.engine ?? null,
    model: parsed.model ?? null,
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    judging: judgingWish(parsed),
    concurrency: parsed.concurrency,
    timeoutSeconds: parsed.timeout ?? null,
    pace: { idleMs: parsed.idleTimeout * 1000 },
    maxTurns: parsed.maxTurns ?? null,
    retries: parsed.retries,
    workspace: parsed.workspace ?? null,
    passEnv: parsed.passEnv,
    limits: limitsOf(parsed),
    sandbox: sandboxWish(parsed),
    queue: queueWish(parsed, process.env),
    keep: parsed.keep,
    cache: parsed.cache,
    fresh: parsed.fresh,
    isolate: parsed.isolate,
  }
}
