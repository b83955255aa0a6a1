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
      describe: 'benchmark folder, or workspace (its newest benchmark)',
    })
    .options(analyzeFlags)
    .usage(
      '$0 analyze <benchmark> [options]\n\nExplain why the winners of blind comparisons won.\n\nRun whetstone compare first. A model reads both skills and both transcripts and writes analysis.json per case. It also adds notes about the numbers; wrong notes are dropped.',
    )
    .example(
      '$0 analyze workspaces/pdf/benchmarks/2026-01-15T10-30-00Z',
      'analyze one comparison per case, and write notes',
    )
    .example('$0 analyze <benchmark> --only notes', 'write only notes (needs no comparison)')
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
      showAnalyzePlan(result, { json })
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency, waits: parsed }, (context) =>
      analyze(request, context),
    )
    done(showAnalyze(result, { json, interrupted }))
  })
}
