/** `init --from-sessions`: drafts cases and trigger queries from recorded sessions. */
import type { InferredOptionTypes } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { typedCommand } from '../../base/package_root.ts'
import type { InitArguments } from '../../cli/commands/init/command.ts'
import { initFlags } from '../../cli/commands/init/options.ts'
import { initPath } from '../../cli/commands/init/print.ts'
import { withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { alignColumns, colours, oneLine, textWidth, toSafeLine, wrapText } from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { FromSessionsResult } from './draft/init_from_sessions.ts'
import type { draftFlags } from './modes.ts'

type DraftArguments = InitArguments & InferredOptionTypes<typeof draftFlags> & { fromSessions: string[] }

/** Drafts from recorded sessions; returns the exit code. */
export async function draftFromSessions(parsed: DraftArguments, given: DraftArguments): Promise<number> {
  if (given.engine !== initFlags.engine.default || given.model !== undefined || given.judge !== undefined)
    throw new UserError('--from-sessions asks no model', 'leave out --engine, --model and --judge')
  const { skill, cases, output = null, fromSessions: places, json, dryRun } = parsed
  const { initFromSessions } = await import('./draft/init_from_sessions.ts')
  const manner = { json, concurrency: 1, stopping: 'Stopping: nothing is written.' }
  const request = { skill, cases, output, places, dryRun }
  const { result } = await withFlow(manner, (context) => initFromSessions(request, context))
  showFromSessions(result, { json, dryRun })
  return exitCodes.done
}

/** Prints the drafts from recorded sessions. */
function showFromSessions(result: FromSessionsResult, { json, dryRun }: { json: boolean; dryRun: boolean }): void {
  const { file, triggersFile, evals, queries, sessions, copies, refused, removed, warnings } = result
  if (json) {
    const files = triggersFile === null ? [file] : [file, triggersFile]
    const line = { type: 'result', exit_code: exitCodes.done, dry_run: dryRun, files, sessions, copies, refused }
    process.stdout.write(`${jsonText({ ...line, evals, queries, removed, warnings })}\n`)
    return
  }
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const rows = evals.map(({ id, prompt, split, expectations = [] }) => [
    String(id),
    oneLine(prompt, 60),
    split === 'train' ? 'training' : 'held out',
    String(expectations.length),
  ])
  const [head = '', ...table] = alignColumns([['id', 'task', 'part', 'expectations'], ...rows], [0, 3])
  const kinds = Object.entries(removed).map(([name, count]) => `${count} ${name}`)
  const unused =
    refused.length === 0
      ? []
      : [`${formatPlural(refused.length, 'file')} not used, such as ${refused[0]?.file}: ${refused[0]?.reason}`]
  const lines = [
    bold(
      `${formatPlural(sessions, 'session')}: ${formatPlural(evals.length, 'case')} and ${queries.length} trigger ${queries.length === 1 ? 'query' : 'queries'}`,
    ),
    dim(head),
    ...table.map(toSafeLine),
    '',
    ...[...unused, ...warnings]
      .flatMap((note) => wrapText(`- ${oneLine(note, 400)}`, width))
      .map((line) => yellow(line)),
    ...wrapText(
      kinds.length === 0
        ? 'Nothing that looks like a secret or personal data was found.'
        : `Removed: ${kinds.join(', ')}.`,
      width,
    ),
    `${dim(dryRun ? 'would write' : 'wrote')} ${[file, triggersFile].flatMap((one) => (one === null ? [] : initPath(one))).join(' and ')}`,
    ...(dryRun
      ? []
      : wrapText(
          `Review before you commit: read every case and query, remove what is private, fix the expectations, add the files, and delete "review": "draft". ${typedCommand()} check lists what is left.`,
          width,
        )),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
