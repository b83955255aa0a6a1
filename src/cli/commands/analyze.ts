/** `whetstone analyze`: why the winners won, and a model's notes. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { AnalyzeRequest } from '../../flows/analyze.ts'
import { benchmarkGiven } from '../benchmark_given.ts'
import { exitCodes } from '../exit.ts'
import { analyzeFlags } from './analyze_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

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

function requestOf(parsed: ArgumentsCamelCase<AnalyzeArguments>): AnalyzeRequest {
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

export function addAnalyze(args: Argv, done: Done, argv: readonly string[]): Argv {
  const usage = 'analyze <benchmark>'
  return args.command(usage, 'why the winners won, and what to improve', analyzeOptions, async (given) => {
    const benchmark = await benchmarkGiven(given.benchmark, given)
    const { configuredOf } = await import('../config/of_benchmark.ts')
    const of = { command: 'analyze', usage, options: analyzeOptions, argv, args: given, print: given } as const
    const parsed = await configuredOf({ ...of, benchmark })
    if (parsed === null) return done(exitCodes.done)
    const [{ analyze, planAnalyze }, show] = await Promise.all([
      import('../../flows/analyze.ts'),
      import('../show_analyze.ts'),
    ])
    const request = requestOf({ ...parsed, benchmark })
    const { json, concurrency } = parsed
    if (parsed.dryRun) {
      const { result } = await withFlow({ json, concurrency }, (context) => planAnalyze(request, context))
      show.showAnalyzePlan(result, { json, notes: request.notes })
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency }, (context) => analyze(request, context))
    done(show.showAnalyze(result, { json, interrupted }))
  })
}
