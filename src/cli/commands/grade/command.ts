/** `whetstone grade`: grades finished runs again without repeating them. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { listBenchmarks } from '../../../store/store.ts'
import { applyConfig, locateBenchmarkConfig } from '../../config/configured_command.ts'
import { exitCodes } from '../../exit_codes.ts'
import { groupOptions } from '../../help/option_groups.ts'
import { readPipeline } from '../../reporters/gates.ts'
import { resumeWays } from '../../terminal/interrupt.ts'
import { toSafeLine } from '../../terminal/style.ts'
import { showResult } from '../bench/print.ts'
import { judgingWish } from '../options/common_flags.ts'
import { addModeOptions, chooseMode, describeCommand, modeFlags, orMode } from '../options/modes.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { gradeFlags } from './options.ts'

function gradeOptions(args: Argv) {
  const help =
    '$0 grade [benchmark] [options]\n\nGrade finished runs again, without running them.\n\nUses the current expectations and checks of the suite, then writes benchmark.json again.'
  const options = withJson(args)
    .positional('benchmark', {
      type: 'string',
      describe: 'benchmark folder, or workspace (its newest benchmark)',
    })
    .options(gradeFlags)
    .example('$0 grade workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'grade after editing the expectations')
    .example('$0 grade <benchmark> --judge anthropic:opus --anew', 'grade with another judge')
    .example('$0 grade <benchmark> --again 3', 'measure the noise of the judge with three more gradings')
  return addModeOptions(describeCommand(options, 'grade', help), 'grade')
}

export type GradeArguments = ReturnType<ReturnType<typeof gradeOptions>['parseSync']>

export function addGrade(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'grade [benchmark]'
  const options = (one: Argv) => groupOptions(gradeOptions(one), { ...modeFlags('grade'), ...gradeFlags }, argv)
  return args.command(usage, 'grade finished runs again, or recorded sessions', options, async (given) => {
    const chosen = chooseMode('grade', given, argv)
    const place = given.benchmark ?? (chosen && String(chosen.value))
    if (place === null) throw new UserError('nothing to grade', `give a benchmark folder${orMode('grade')}`)
    if (chosen !== null && given.benchmark !== undefined)
      throw new UserError(`--${chosen.mode.flag} with a benchmark`, 'give one of them')
    const benchmark = chosen === null ? await resolveGivenBenchmark(place, given) : place
    const request = { command: 'grade', usage, options: gradeOptions, argv, args: given } as const
    const parsed = await applyConfig(benchmark, { ...request, start: await locateBenchmarkConfig(benchmark) })
    if (parsed === null) return done(exitCodes.done)
    done(await (chosen?.mode.start(parsed as never, given as never) ?? gradeAgain(parsed, benchmark)))
  })
}

/** The part of a request that grading again shares with its modes. */
export function readGradeRequest(parsed: GradeArguments) {
  const { judge = null, baseUrl = null, case: cases, anew, again, cache, concurrency, passEnv, judgeBatch } = parsed
  const more = { judging: judgingWish(parsed), sandbox: sandboxWish(parsed) }
  return { judge, baseUrl, judgeBatch, cases, anew, again, cache, concurrency, passEnv, ...more }
}

async function gradeAgain(parsed: GradeArguments, benchmark: string): Promise<number> {
  const { json, concurrency, anew } = parsed
  const pipeline = await readPipeline(parsed)
  const { grade } = await import('../../../flows/grade/grade.ts')
  const how = { json, goesOn: anew ? null : resumeWays.same }
  const request = { benchmark, ...readGradeRequest(parsed) }
  const { result, interrupted } = await withFlow({ ...how, concurrency, waits: parsed }, (context) =>
    grade(request, context),
  )
  return await showResult(result, { ...how, ...pipeline, interrupted })
}

/** Reports which benchmark of a workspace it chose; returns any other folder unchanged. */
export async function resolveGivenBenchmark(place: string, { json }: { json: boolean }): Promise<string> {
  const folder = path.resolve(place)
  if (existsSync(benchmarkPaths(folder).plan)) return place
  const [newest] = await listBenchmarks(folder)
  if (newest === undefined) return place
  const shown = path.relative(process.cwd(), newest)
  if (!json) process.stderr.write(`${toSafeLine(`${place} is a workspace; using its newest benchmark: ${shown}`)}\n`)
  return shown
}
