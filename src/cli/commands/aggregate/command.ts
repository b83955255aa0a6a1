/** `whetstone aggregate`: rewrites the reports from what is on disk, from Whetstone or another tool. */
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { readPipeline } from '../../reporters/gates.ts'
import { showResult } from '../bench/print.ts'
import { onOff, text } from '../options/flag.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { type SetExitCode, withFlow, withJson } from '../options/run_flow.ts'
import { importFlags, readImportWish } from './import_flags.ts'

function aggregateOptions(args: Argv) {
  return withJson(args)
    .positional('benchmarks', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'benchmark folder, workspace (its newest), folder of gradings; shards; results for --from',
    })
    .options({
      candidate: {
        ...text,
        defaultDescription: 'from the folder names',
        describe: 'configuration to judge (third-party benchmarks)',
      },
      baseline: {
        ...text,
        defaultDescription: 'from the folder names',
        describe: 'configuration to compare with (third-party benchmarks)',
      },
      force: { ...onOff, describe: "overwrite another tool's benchmark.json" },
      page: {
        type: 'boolean',
        default: true,
        describe: 'write report.html (--no-page: faster with thousands of runs)',
      },
      to: {
        choices: ['agentskills'] as const,
        requiresArg: true,
        describe: 'also write this dialect into the folder of --output',
      },
    })
    .options(importFlags)
    .options({
      output: { alias: 'o', ...text, describe: 'new folder for --from, for --to, or for shards' },
    })
    .options(gateFlags)
    .usage(
      '$0 aggregate <benchmarks..> [options]\n\nWrite benchmark.json, benchmark.md and report.html again from the runs and gradings on disk.\n\nReads folders of other tools too: docs/reference/files.md lists the layouts. Files that cannot be read are listed and skipped (exit 3).',
    )
    .example('$0 aggregate workspaces/pdf/benchmarks/2026-01-15T10-30-00Z', 'also works for an interrupted benchmark')
    .example('$0 aggregate shards/* --output whole --fail-on hurts', 'put the shards of bench --shard together')
    .example('$0 aggregate pdf-workspace/iteration-2', 'gradings from another tool or a person')
    .example('$0 aggregate <benchmark> --to agentskills -o pdf-agentskills', 'write the agentskills.io layout')
    .example(
      '$0 aggregate trials.csv --from csv -o trials --candidate new --baseline old',
      'results of another tool: docs/how-to/other-results.md',
    )
}

export function addAggregate(args: Argv, done: SetExitCode): Argv {
  const describe = 'write benchmark.json and the reports again'
  return args.command('aggregate <benchmarks..>', describe, aggregateOptions, async (parsed) => {
    const { aggregateAgain } = await import('../../../flows/aggregate/aggregate.ts')
    const { candidate = null, baseline = null, force, to = null, output = null, page, json } = parsed
    const [folder = '', ...others] = parsed.benchmarks
    const pipeline = await readPipeline(parsed)
    const wish = readImportWish(parsed)
    if (wish !== null) {
      const { importResults } = await import('../../../flows/aggregate/import_results.ts')
      await importResults({ ...wish, places: parsed.benchmarks, candidate, baseline })
      const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
        aggregateAgain({ folder: wish.target, candidate, baseline, force: false, page, agentskills: null }, context),
      )
      return done(await showResult(result, { json, interrupted, asked: wish.target, ...pipeline }))
    }
    if (others.length > 0) refuseShardMixtures({ to, output, others: { candidate, baseline } })
    else if ((to === null) !== (output === null)) {
      const [given, missing] = to === null ? ['output', 'to'] : ['to', 'output']
      throw new UserError(`--${given} without --${missing}`, 'give both, such as --to agentskills -o pdf-agentskills')
    }
    const { result, interrupted } = await withFlow({ json, concurrency: 1 }, (context) =>
      aggregateAgain({ folder, candidate, baseline, force, page, ...chooseOutput(others, output) }, context),
    )
    const asked = others.length > 0 ? (output ?? folder) : folder
    done(await showResult(result, { json, interrupted, asked, ...pipeline }))
  })
}

/** `--output` belongs to the shards, if there are several folders, else to --to. */
function chooseOutput(others: readonly string[], output: string | null) {
  if (others.length === 0 || output === null) return { agentskills: output }
  return { agentskills: null, shards: { others, target: output } }
}

function refuseShardMixtures({
  to,
  output,
  others,
}: {
  to: string | null
  output: string | null
  others: Record<string, string | null>
}): void {
  if (output === null) {
    throw new UserError('several folders without --output', 'name a new folder for all of them: --output whole')
  }
  const given = Object.entries({ to, ...others }).flatMap(([name, value]) => (value === null ? [] : [`--${name}`]))
  if (given.length > 0) throw new UserError(`several folders with ${given.join(', ')}`, 'put the shards together first')
}
