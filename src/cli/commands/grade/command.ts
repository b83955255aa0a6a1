/** `whetstone grade`: grades finished runs again without repeating them. */
import type { Argv } from 'yargs'
import { configureForBenchmark } from '../../config/benchmark_config.ts'
import { exitCodes } from '../../exit_codes.ts'
import { resumeWays } from '../../terminal/interrupt.ts'
import { showResult } from '../bench/print.ts'
import { judgingWish } from '../options/judge_flags.ts'
import { resolveGivenBenchmark } from '../options/named_benchmark.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { gradeFlags } from './options.ts'

function gradeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'benchmark folder, or workspace (its newest benchmark)',
    })
    .options(gradeFlags)
    .usage(
      '$0 grade <benchmark> [options]\n\nGrade finished runs again, without running them.\n\nUses the current expectations and checks of the suite, then writes benchmark.json again.',
    )
    .example('$0 grade workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'grade after editing the expectations')
    .example('$0 grade <benchmark> --judge anthropic:opus --anew', 'grade with another judge')
    .example('$0 grade <benchmark> --again 3', 'measure the noise of the judge with three more gradings')
}

export function addGrade(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'grade <benchmark>'
  return args.command(usage, 'grade finished runs again, without running them', gradeOptions, async (given) => {
    const benchmark = await resolveGivenBenchmark(given.benchmark, given)
    const of = { command: 'grade', usage, options: gradeOptions, argv, args: given, print: given } as const
    const parsed = await configureForBenchmark({ ...of, benchmark })
    if (parsed === null) return done(exitCodes.done)
    const { grade } = await import('../../../flows/grade/grade.ts')
    const { judge = null, baseUrl = null, case: cases, anew, again, cache, concurrency } = parsed
    const { passEnv, json, judgeBatch } = parsed
    const sandbox = sandboxWish(parsed)
    const judging = judgingWish(parsed)
    const more = { judging, judgeBatch, cases, anew, again, cache, concurrency, passEnv, sandbox }
    const request = { benchmark, judge, baseUrl, ...more }
    const how = { json, goesOn: anew ? null : resumeWays.same }
    const { result, interrupted } = await withFlow({ ...how, concurrency, waits: parsed }, (context) =>
      grade(request, context),
    )
    done(await showResult(result, { ...how, interrupted }))
  })
}
