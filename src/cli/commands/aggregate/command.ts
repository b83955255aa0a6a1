/** `whetstone aggregate`: rewrites the reports from what is on disk, from Whetstone or another tool. */
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { showResult } from '../bench/print.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'

function aggregateOptions(args: Argv) {
  return withJson(args)
    .positional('folder', {
      type: 'string',
      demandOption: true,
      describe:
        "a benchmark folder (it holds plan.json), a workspace (its newest), or another tool's folder of gradings",
    })
    .option('candidate', {
      type: 'string',
      requiresArg: true,
      describe: "the configuration to judge; by the folders' names if not given (not for our own benchmarks)",
    })
    .option('baseline', {
      type: 'string',
      requiresArg: true,
      describe: 'the configuration to compare with; likewise',
    })
    .option('force', {
      type: 'boolean',
      default: false,
      describe: "overwrite another tool's benchmark.json; without it ours is whetstone-benchmark.json beside it",
    })
    .option('page', {
      type: 'boolean',
      default: true,
      describe: 'report.html too; --no-page is quicker with many thousand runs, and whetstone view makes the page then',
    })
    .option('to', {
      choices: ['agentskills'] as const,
      requiresArg: true,
      describe: 'also in this dialect, into the folder of --output',
    })
    .option('output', { alias: 'o', type: 'string', requiresArg: true, describe: 'a new folder for --to' })
    .usage(
      '$0 aggregate <folder> [options]\n\nwrite benchmark.json, benchmark.md and report.html anew from the runs and gradings on disk\n\nReads folders of other tools too: every layout of cases, configurations and runs\nthat docs/reference/third-party-folders.md lists. What cannot be read is named and left out (exit 3).',
    )
    .example('$0 aggregate workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'also for an interrupted benchmark')
    .example('$0 aggregate pdf-workspace/iteration-2', 'gradings that another tool or a person made')
    .example('$0 aggregate <benchmark> --to agentskills -o pdf-agentskills', 'for readers of that guide')
}

export function addAggregate(args: Argv, done: SetExitCode): Argv {
  const describe = 'write benchmark.json and the reports anew from what is on disk'
  return args.command('aggregate <folder>', describe, aggregateOptions, async (parsed) => {
    const { aggregateAgain } = await import('../../../flows/aggregate/aggregate.ts')
    const { folder, candidate = null, baseline = null, force, to = null, output = null, page, json } = parsed
    if ((to === null) !== (output === null)) {
      const [given, missing] = to === null ? ['output', 'to'] : ['to', 'output']
      throw new UserError(`--${given} without --${missing}`, 'give both, such as --to agentskills -o pdf-agentskills')
    }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
      aggregateAgain({ folder, candidate, baseline, force, agentskills: output, page }, context),
    )
    done(await showResult(result, { json, interrupted, asked: folder }))
  })
}
