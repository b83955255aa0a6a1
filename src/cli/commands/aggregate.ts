/** `whetstone aggregate`: writes the reports anew from what is on disk. */
import type { Argv } from 'yargs'
import { showResult } from '../show.ts'
import { type Done, withFlow, withJson } from './shared.ts'

function aggregateOptions(args: Argv) {
  return withJson(args)
    .positional('benchmark', {
      type: 'string',
      demandOption: true,
      describe: 'a benchmark folder (it holds plan.json)',
    })
    .usage(
      '$0 aggregate <benchmark> [options]\n\nwrite benchmark.json, benchmark.md and report.html anew from the runs and gradings on disk',
    )
    .example('$0 aggregate workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'also for an interrupted benchmark')
}

export function addAggregate(args: Argv, done: Done): Argv {
  const describe = 'write benchmark.json and the reports anew from what is on disk'
  return args.command('aggregate <benchmark>', describe, aggregateOptions, async ({ benchmark, json }) => {
    const { aggregateAgain } = await import('../../flows/aggregate.ts')
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
      aggregateAgain(benchmark, context),
    )
    done(showResult(result, { json, interrupted }))
  })
}
