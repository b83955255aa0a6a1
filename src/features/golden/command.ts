/** `whetstone costs`: shows what agents cost by month. */
import type { Argv } from 'yargs'
import { jsonText } from '../../base/json/json_text.ts'
import { type SetExitCode, withJson } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { alignColumns, colours, oneLine } from '../../cli/terminal/style.ts'
import { formatDollars } from '../../phases/4-report/text/format.ts'
import type { AgentCostReport } from './costs.ts'

function costsOptions(args: Argv) {
  return withJson(args)
    .positional('agents', { type: 'string', array: true, demandOption: true, describe: 'folders of Atomic Agents' })
    .usage(
      '$0 costs <agents..> [options]\n\nShow what agents cost by month: operational runs, helpers and evals.\n\nReads log/<month>/<day>.jsonl and evals/runs/<date>.jsonl. For the costs of benchmarks: whetstone diff <workspace>.',
    )
    .example('$0 costs agents/caldwell', 'show every month of one agent')
}

export function addCosts(args: Argv, done: SetExitCode): Argv {
  const text = 'show what agents cost by month'
  return args.command('costs <agents..>', text, costsOptions, async ({ agents, json }) => {
    const { readCosts } = await import('./costs.ts')
    const reports = await readCosts(agents)
    process.stdout.write(json ? `${jsonText(reports)}\n` : `${costLines(reports).join('\n')}\n`)
    done(exitCodes.done)
  })
}

function costLines(reports: readonly AgentCostReport[]): string[] {
  const { bold, dim } = colours(process.stdout)
  return reports.flatMap(({ agent, months, unread }, index) => {
    const rows = months.map(({ month, operational, helpers, evals }) => {
      const kinds = [operational, helpers, evals]
      const total = kinds.reduce((sum, { usd }) => sum + usd, 0)
      const unknown = kinds.reduce((sum, one) => sum + one.unknown, 0)
      return [
        month,
        ...[...kinds.map(({ usd }) => usd), total].map(formatDollars),
        unknown === 0 ? '' : `${unknown} of unknown cost`,
      ]
    })
    const [header = '', ...lines] = alignColumns([['month', 'operational', 'helpers', 'evals', 'total', ''], ...rows])
    return [
      ...(index === 0 ? [] : ['']),
      bold(oneLine(agent, 80)),
      dim(header),
      ...lines,
      ...unread.map((name) => `not understood, its cost is missing here: ${oneLine(name, 120)}`),
    ]
  })
}
