/** `whetstone explain`: shows where cases failed, with the evidence. */
import type { Argv } from 'yargs'
import { jsonText } from '../../../base/json/json_text.ts'
import { exitCodes } from '../../exit_codes.ts'
import { onOff, text } from '../options/flag.ts'
import type { SetExitCode } from '../options/run_flow.ts'
import { withFlow } from '../options/run_flow.ts'
import { explanationLines } from './print.ts'

function explainOptions(args: Argv) {
  return args
    .positional('benchmark', {
      type: 'string',
      default: '.',
      describe: 'benchmark, workspace (its newest benchmark), or folder of gradings',
    })
    .options({
      case: { ...text, describe: 'show one case: its id, key, name or a glob' },
      json: { ...onOff, describe: 'print one JSON document' },
    })
    .usage(
      '$0 explain [benchmark] [options]\n\nShow why cases failed: what failed in how many runs, the evidence, and how runs ended.\n\nReads the files on disk, asks no model and writes nothing. Failures of infrastructure and open verdicts are listed apart.',
    )
    .example('$0 explain workspaces/pdf', 'explain the newest benchmark, worst cases first')
    .example('$0 explain workspaces/pdf --case merge-two-files', 'explain one case')
    .example('$0 explain pdf-workspace/iteration-2 --json', "explain another tool's gradings")
}

export function addExplain(args: Argv, done: SetExitCode): Argv {
  const text = 'show why cases failed, with the evidence'
  return args.command('explain [benchmark]', text, explainOptions, async ({ benchmark, json, case: named = null }) => {
    const { explain } = await import('../../../flows/explain/explain.ts')
    const { result } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
      explain({ folder: benchmark, case: named }, context),
    )
    process.stdout.write(json ? `${jsonText(result)}\n` : `${explanationLines(result).join('\n')}\n`)
    done(exitCodes.done)
  })
}
