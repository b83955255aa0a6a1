/** `whetstone compare`: a blind A/B comparison of finished runs. */
import type { ArgumentsCamelCase, Argv } from 'yargs'
import type { CompareRequest } from '../../flows/compare.ts'
import type { FlowContext } from '../../flows/context.ts'
import { benchmarkGiven } from '../benchmark_given.ts'
import { exitCodes } from '../exit.ts'
import { compareFlags } from './compare_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function compareOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json), a workspace, whose newest is meant, or the folder of one run',
    })
    .positional('other', { type: 'string', describe: 'another of the same kind, to compare with' })
    .options(compareFlags)
    .usage(
      '$0 compare <benchmark> [other] [options]\n\ncompare the deliveries of two arms blind, and say which is better\n\nA judge sees two deliveries for the same task without names, in both orders. If\nboth verdicts agree that is the verdict, else it is a tie. Writes\ncomparison-N.json for run N of each case, and the sums into benchmark.json.',
    )
    .example('$0 compare workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'with the skill against without')
    .example('$0 compare <benchmark> --pairs 1 --dry-run', 'how many questions one pair a case would take')
    .example('$0 compare <benchmark> <another>', 'two benchmarks of the same cases: skill against skill')
    .example('$0 compare out/mine out/theirs --prompt "Sum up the invoices"', 'any two folders')
}

type CompareArguments = ReturnType<typeof compareOptions> extends Argv<infer T> ? T : never

function requestOf(parsed: ArgumentsCamelCase<CompareArguments>): CompareRequest {
  const { again, concurrency, passEnv, seed } = parsed
  return {
    folder: parsed.benchmark,
    other: parsed.other ?? null,
    a: parsed.a ?? null,
    b: parsed.b ?? null,
    pairs: parsed.pairs ?? null,
    cases: parsed.case,
    judge: parsed.judge ?? null,
    baseUrl: parsed.baseUrl ?? null,
    output: parsed.output ?? null,
    prompt: parsed.prompt ?? null,
    sandbox: sandboxWish(parsed),
    ...{ again, concurrency, passEnv, seed },
  }
}

export function addCompare(args: Argv, done: Done, argv: readonly string[]): Argv {
  const usage = 'compare <benchmark> [other]'
  return args.command(usage, 'compare two arms blind, in both orders', compareOptions, async (given) => {
    const benchmark = await benchmarkGiven(given.benchmark, given)
    const other = given.other === undefined ? undefined : await benchmarkGiven(given.other, given)
    const { configuredOf } = await import('../config/of_benchmark.ts')
    const of = { command: 'compare', usage, options: compareOptions, argv, args: given, print: given } as const
    const parsed = await configuredOf({ ...of, benchmark })
    if (parsed === null) return done(exitCodes.done)
    const [{ compare, planCompare }, show] = await Promise.all([
      import('../../flows/compare.ts'),
      import('../show_compare.ts'),
    ])
    const request = requestOf({ ...parsed, benchmark, other })
    const { json, concurrency } = parsed
    if (parsed.dryRun) {
      const planned = (context: FlowContext) => planCompare(request, context)
      show.showComparePlan((await withFlow({ json, concurrency }, planned)).result, json)
      return done(exitCodes.done)
    }
    const { result, interrupted } = await withFlow({ json, concurrency }, (context) => compare(request, context))
    done(show.showCompare(result, { json, interrupted }))
  })
}
