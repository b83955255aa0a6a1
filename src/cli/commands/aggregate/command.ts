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
      describe: 'benchmark folder, workspace (its newest), or folder of gradings',
    })
    .option('candidate', {
      type: 'string',
      requiresArg: true,
      defaultDescription: 'from the folder names',
      describe: 'configuration to judge (third-party benchmarks)',
    })
    .option('baseline', {
      type: 'string',
      requiresArg: true,
      defaultDescription: 'from the folder names',
      describe: 'configuration to compare with (third-party benchmarks)',
    })
    .option('force', {
      type: 'boolean',
      default: false,
      describe: "overwrite another tool's benchmark.json",
    })
    .option('page', {
      type: 'boolean',
      default: true,
      describe: 'write report.html (--no-page: faster with thousands of runs)',
    })
    .option('to', {
      choices: ['agentskills'] as const,
      requiresArg: true,
      describe: 'also write this dialect into the folder of --output',
    })
    .option('output', { alias: 'o', type: 'string', requiresArg: true, describe: 'new folder for --to' })
    .usage(
      '$0 aggregate <folder> [options]\n\nWrite benchmark.json, benchmark.md and report.html again from the runs and gradings on disk.\n\nReads folders of other tools too: docs/reference/files.md lists the layouts. Files that cannot be read are listed and skipped (exit 3).',
    )
    .example('$0 aggregate workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'also works for an interrupted benchmark')
    .example('$0 aggregate pdf-workspace/iteration-2', 'gradings from another tool or a person')
    .example('$0 aggregate <benchmark> --to agentskills -o pdf-agentskills', 'write the agentskills.io layout')
}

export function addAggregate(args: Argv, done: SetExitCode): Argv {
  const describe = 'write benchmark.json and the reports again'
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
