/** `whetstone analyze`: why the winners won, and a model's notes. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { AnalyzeRequest } from '../../flows/analyze.ts'
import { exitCodes } from '../exit.ts'
import { compareFlags } from './compare_flags.ts'
import { sandboxFlags, sandboxWish } from './sandbox_flags.ts'
import { type Done, wholeNumber, withFlow, withJson } from './shared.ts'

const { case: cases, 'base-url': baseUrl, 'pass-env': passEnv } = compareFlags

function analyzeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json)',
    })
    .options({
      case: cases,
      pairs: {
        type: 'number',
        requiresArg: true,
        default: 1,
        coerce: wholeNumber('pairs', 1, 10_000),
        describe: 'comparisons a case at most, the first that have a winner',
      },
      only: { choices: ['comparisons', 'notes'] as const, describe: 'only the one or the other; both if not given' },
      judge: {
        type: 'string',
        requiresArg: true,
        describe: 'who analyzes: engine[:model] or a model; the judge of the benchmark if not given',
      },
      'base-url': baseUrl,
      again: { type: 'boolean', default: false, describe: 'analyze even what this model has analyzed already' },
      concurrency: {
        type: 'number',
        requiresArg: true,
        default: 4,
        coerce: wholeNumber('concurrency', 1, 1000),
        describe: 'analyses at once',
      },
      'dry-run': { type: 'boolean', default: false, describe: 'say what would be asked, and ask nobody' },
      'pass-env': passEnv,
      ...sandboxFlags,
    })
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

export function addAnalyze(args: Argv, done: Done): Argv {
  return args.command(
    'analyze <benchmark>',
    'why the winners won, and what to improve',
    analyzeOptions,
    async (parsed) => {
      const [{ analyze, planAnalyze }, show] = await Promise.all([
        import('../../flows/analyze.ts'),
        import('../show_analyze.ts'),
      ])
      const request = requestOf(parsed)
      const { json, concurrency } = parsed
      if (parsed.dryRun) {
        const { result } = await withFlow({ json, concurrency }, (context) => planAnalyze(request, context))
        show.showAnalyzePlan(result, { json, notes: request.notes })
        return done(exitCodes.done)
      }
      const { result, interrupted } = await withFlow({ json, concurrency }, (context) => analyze(request, context))
      done(show.showAnalyze(result, { json, interrupted }))
    },
  )
}
