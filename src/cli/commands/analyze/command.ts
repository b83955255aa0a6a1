/** `whetstone analyze`: explains why the winners won, and has a model write notes. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { AnalyzeRequest } from '../../../flows/analyze/analyze.ts'
import { configureForBenchmark } from '../../config/benchmark_config.ts'
import { exitCodes } from '../../exit_codes.ts'
import { resolveGivenBenchmark } from '../options/named_benchmark.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxWish } from '../options/sandbox_flags.ts'
import { analyzeFlags } from './options.ts'

function analyzeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json), or a workspace, whose newest is meant',
    })
    .options(analyzeFlags)
    .usage(
      '$0 analyze <benchmark> [options]\n\nsay why the winners of blind comparisons won, and what would help the losers\n\nAfter whetstone compare: a model reads both skills and both transcripts,\nunsealed, and writes analysis.json for a comparison of each case. It also notes\nwhat it sees in the numbers; a note that does not hold against them is dropped.',
    )
    .example('$0 analyze workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'one comparison a case, and notes')
    .example('$0 analyze <benchmark> --only notes', 'notes alone; no comparison is needed')
}

type AnalyzeArguments = ReturnType<typeof analyzeOptions> extends Argv<infer T> ? T : never

function buildAnalyzeRequest(parsed: ArgumentsCamelCase<AnalyzeArguments>): AnalyzeRequest {
  const { pairs, again, concurrency } = parsed
  return {
    folder: parsed.benchmark,
    cases: parsed.case,
    comparisons: parsed.only !== 'notes',
    notes: parsed.only !== 'comparisons',
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    passEnv: parsed.passEnv,
    sandbox: sandboxWish(parsed),
    ...{ pairs, again, concurrency },
  }
}

export function addAnalyze(args: Argv, done: SetExitCode, argv: readonly string[]): Argv {
  const usage = 'analyze <benchmark>'
  return args.command(usage, 'why the winners won, and what to improve', analyzeOptions, async (given) => {
    const benchmark = await resolveGivenBenchmark(given.benchmark, given)
    const of = { command: 'analyze', usage, options: analyzeOptions, argv, args: given, print: given } as const
    const parsed = await configureForBenchmark({ ...of, benchmark })
    if (parsed === null) return done(exitCodes.done)
    const { analyze, planAnalyze } = await import('../../../flows/analyze/analyze.ts')
    const { showAnalyze, showAnalyzePlan } = await import('./print.ts')
    const request = buildAnalyzeRequest({ ...parsed, benchmark })
    const { json, concurrency } = parsed
    if (parsed.dryRun) {
      const { result } = await withFlow({ json, concurrency }, (context) => planAnalyze(request, context))
      showAnalyzePlan(result, { json, notes: request.notes })
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency, waits: parsed }, (context) =>
      analyze(request, context),
    )
    done(showAnalyze(result, { json, interrupted }))
  })
}
