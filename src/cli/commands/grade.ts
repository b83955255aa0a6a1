/** `whetstone grade`: grades finished runs again, without running them. */
import type { Argv } from 'yargs'
import { benchmarkGiven } from '../benchmark_given.ts'
import { exitCodes } from '../exit.ts'
import { ways } from '../interrupt.ts'
import { gradeFlags } from './grade_flags.ts'
import { judgingWish } from './judge_flags.ts'
import { sandboxWish } from './sandbox_flags.ts'
import { type Done, showResult, withFlow, withJson } from './shared.ts'

function gradeOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json), or a workspace, whose newest is meant',
    })
    .options(gradeFlags)
    .usage(
      '$0 grade <benchmark> [options]\n\ngrade finished runs again, without running them\n\nTakes the criteria that the suite has now, so you can edit expectations and\nchecks and pay for no run. Then it writes benchmark.json anew.',
    )
    .example('$0 grade workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'after editing the expectations')
    .example('$0 grade <benchmark> --judge anthropic:opus --anew', 'with another judge')
    .example('$0 grade <benchmark> --again 3', 'how sure is the judge? Three times more, beside the grades')
}

export function addGrade(args: Argv, done: Done, argv: readonly string[]): Argv {
  const usage = 'grade <benchmark>'
  return args.command(usage, 'grade finished runs again, without running them', gradeOptions, async (given) => {
    const benchmark = await benchmarkGiven(given.benchmark, given)
    const { configuredOf } = await import('../config/of_benchmark.ts')
    const of = { command: 'grade', usage, options: gradeOptions, argv, args: given, print: given } as const
    const parsed = await configuredOf({ ...of, benchmark })
    if (parsed === null) return done(exitCodes.done)
    const { grade } = await import('../../flows/grade.ts')
    const { judge = null, baseUrl = null, case: cases, anew, again, cache, concurrency } = parsed
    const { passEnv, json } = parsed
    const sandbox = sandboxWish(parsed)
    const judging = judgingWish(parsed)
    const more = { judging, cases, anew, again, cache, concurrency, passEnv, sandbox }
    const request = { benchmark, judge, baseUrl, ...more }
    const how = { json, goesOn: anew ? null : ways.same }
    const { result, interrupted } = await withFlow({ ...how, concurrency }, (context) => grade(request, context))
    done(await showResult(result, { ...how, interrupted }))
  })
}
