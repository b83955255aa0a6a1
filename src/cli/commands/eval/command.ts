/** `whetstone eval`: tests whether one configuration passes. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { EvalRequest } from '../../../flows/eval/eval_request.ts'
import { searchSuite } from '../../../phases/1-plan/formats/table.ts'
import { applyConfig, locateSkillConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { reportTexts } from '../../reporters/report_texts.ts'
import { assertReportPlace, parseReporters, type Reporter, writeReports } from '../../reporters/reporters.ts'
import { chooseResumeWay } from '../../terminal/interrupt.ts'
import { readRunSettings } from '../bench/run_settings.ts'
import { addRemoteFlags, openRemote } from '../options/remote_flags.ts'
import { ownEnvironment, type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { evalFlags, otherKeyNames } from './options.ts'

function evalOptions(args: Argv) {
  return addRemoteFlags(withJson(args))
    .positional('path', {
      type: 'string',
      describe: 'suite of any format, or folder with suites; absent: the package in this folder',
    })
    .positional('case', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'only these cases: id, name or glob',
    })
    .options(evalFlags)
    .usage(
      '$0 eval [path] [case..] [options]\n\nRun a suite with one configuration: does it pass?\n\nRuns each case once and prints pass, fail or skip. Exit 1 if a case fails, 3 if one could not be judged. Formats: docs/reference/formats.md.',
    )
    .example('$0 eval packages/pdf', 'run every suite below')
    .example('$0 eval packages/pdf pdf-extraction-e2e --engine codex', 'run one case on another engine')
    .example('$0 eval packages/pdf --target skill:pdf-tools --report', 'run cases about one skill, with a report')
    .example('$0 eval . --dry-run', 'print the plan')
}

type EvalArguments = ArgumentsCamelCase<ReturnType<typeof evalOptions> extends Argv<infer T> ? T : never>

export function addEval(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'eval [path] [case..]'
  return args.command(
    usage,
    'does it pass? one configuration',
    (one) => groupOptions(evalOptions(one), evalFlags, argv),
    async (given) => {
      refuseCaseFlag(argv)
      refuseMixtures(given)
      const place = resolveSuitePlace(await placeInPackage(given))
      const request = { command: 'eval', usage, options: evalOptions, argv, args: given } as const
      const parsed = await applyConfig(place, { ...request, start: await locateSkillConfig(place, undefined) })
      done(parsed === null ? exitCodes.done : await start(await placeInPackage(parsed)))
    },
  )
}

/** In a package's folder the path may be absent, or be the first case. Throws UserError for no path elsewhere. */
async function placeInPackage(given: EvalArguments): Promise<EvalArguments & { path: string }> {
  const { path: place, case: cases, agentsRoot } = given
  if (place !== undefined && (agentsRoot !== undefined || existsSync(place))) return { ...given, path: place }
  const isPackage = (await searchSuite('findForPackage', process.cwd())) !== null
  if (isPackage) return { ...given, path: '.', case: place === undefined ? cases : [place, ...cases] }
  if (place !== undefined) return { ...given, path: place }
  throw new UserError(
    'eval needs <path> [case..]',
    'pass a suite or a folder with suites, or start it in the folder of a package',
  )
}

/** The parser would drop it as part of the names, and run all cases. */
function refuseCaseFlag(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const at = argv.slice(0, end < 0 ? argv.length : end).findIndex((word) => /^--case(=|$)/.test(word))
  if (at < 0) return
  const name = /^--case=(.*)$/s.exec(argv[at] ?? '')?.[1] ?? argv[at + 1] ?? '<case>'
  throw new UserError('eval has no --case', `pass cases after the path: whetstone eval <path> ${name}`)
}

function refuseMixtures({ all, case: cases, target, category, test, output, report }: EvalArguments): void {
  if (output !== undefined && !report) throw new UserError('--output without --report', 'add --report')
  if (!all) return
  const given = [
    ...(cases.length > 0 ? [`the case ${cases[0]}`] : []),
    ...Object.entries({ target, category, test }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`],
    ),
  ]
  if (given.length > 0) throw new UserError(`--all with ${given.join(', ')}`, 'leave one of them out')
}

async function start(parsed: EvalArguments & { path: string }): Promise<number> {
  const request = {
    path: resolveSuitePlace(parsed),
    changed: parsed.changed ?? null,
    shard: parsed.shard ?? null,
    format: parsed.format ?? null,
    cases: parsed.case,
    target: parsed.target ?? null,
    category: parsed.category ?? null,
    test: parsed.test ?? null,
    ...readRunSettings(parsed),
    engine: parsed.engine ?? null,
    activation: parsed.activation ?? null,
    user: parsed.user ?? null,
    skillsFolder: parsed.skillsFolder ?? null,
    backend: parsed.backend,
    remote: openRemote(parsed, process.env),
    liveMcp: parsed.liveMcp,
    keep: parsed.keep,
    cache: parsed.cache,
    transcripts: parsed.transcripts,
    fresh: parsed.fresh,
    isolate: parsed.isolate,
  }
  const { json, concurrency, dryRun, summaryOnly, output = null } = parsed
  const { evaluate, planEval } = await import('../../../flows/eval/eval.ts')
  const { writeEvalReports } = await import('../../../flows/eval/write_reports.ts')
  const { showEvalPlans, showEvals } = await import('./print.ts')
  const reporters = await parseReporters(parsed.reporter)
  if (output !== null) await assertReportPlace('--output', path.resolve(output))
  const env = withOtherKeys(ownEnvironment())
  const asked = { ...request, writes: chooseWrites(parsed, reporters) }
  if (dryRun) {
    const { result } = await withFlow({ json, concurrency, env }, (context) => planEval(asked, context))
    return showEvalPlans(result, { json, concurrency })
  }
  const goesOn = chooseResumeWay(parsed.fresh)
  const waits = { maxWait: parsed.maxWait, limits: request.limits }
  const { result, interrupted } = await withFlow({ json, concurrency, env, goesOn, waits }, (context) =>
    evaluate(asked, context),
  )
  // verdicts are printed even if a report fails
  const [own, others] = await Promise.allSettled([
    parsed.report ? writeEvalReports(result.results, output, process.env) : [],
    writeReports(reporters, reportTexts.ofEvals, result.results),
  ])
  const wrote = own.status === 'fulfilled' ? own.value : []
  const code = await showEvals(result, { json, interrupted, goesOn, summaryOnly, wrote })
  for (const end of [own, others]) if (end.status === 'rejected') throw end.reason
  return code
}

function chooseWrites(
  { report, output }: EvalArguments,
  reporters: readonly Reporter[],
): NonNullable<EvalRequest['writes']> {
  const files = reporters.flatMap((one) => (one.kind === 'github' ? [] : { flag: '--reporter', file: one.file }))
  const own = output === undefined ? [] : [{ flag: '--output', file: path.resolve(output) }]
  return { ...(report && { report: { output: output ?? null } }), files: [...own, ...files] }
}

/** The suite's place: below the folder of --agents-root, if there is one. */
function resolveSuitePlace({ path: place, agentsRoot }: { path: string; agentsRoot?: string | undefined }): string {
  return agentsRoot === undefined ? place : path.join(agentsRoot, place)
}

/** Keys under other names count where the provider's own variable is not set. */
export function withOtherKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = { ...env }
  for (const [given, name] of Object.entries(otherKeyNames)) {
    if (env[given] && !env[name]) all[name] = env[given]
  }
  return all
}
