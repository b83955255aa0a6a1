/** Prints what `mine` drafted; returns the exit code. */
import path from 'node:path'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import type { MineResult } from '../../../flows/mine/mine.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { exitCodes } from '../../exit_codes.ts'
import { alignColumns, colours, dollarsText, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

/** 0; 3 if the model did not phrase all expectations. */
export function showMined(result: MineResult, { json, dryRun }: { json: boolean; dryRun: boolean }): number {
  const code = result.missing === null ? exitCodes.done : exitCodes.incomplete
  const text = json ? jsonLine(result, { code, dryRun }) : resultLines(result, dryRun).join('\n')
  process.stdout.write(`${text}\n`)
  return code
}

function jsonLine(result: MineResult, { code, dryRun }: { code: number; dryRun: boolean }): string {
  const { files, sessions, copies, refused, leftOut, tasks, evals, queries, removed, warnings, spent, missing } = result
  return jsonText({
    type: 'result',
    exit_code: code,
    ...{ dry_run: dryRun, files, sessions, copies, refused, left_out: leftOut, warnings, missing },
    recurring_tasks: tasks.filter(({ recurs }) => recurs).length,
    evals,
    queries: queries.queries,
    unclear_queries: queries.unclear,
    removed,
    cost_usd: spent?.costUsd ?? null,
  })
}

const mostShown = 20

function resultLines(result: MineResult, dryRun: boolean): string[] {
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const { evals, queries, sessions, copies, refused, leftOut, tasks, warnings, missing, spent, files } = result
  const sizes = new Map(tasks.map((one) => [one.sessions[0].messages[0], one.sessions.length]))
  const rows = evals
    .slice(0, mostShown)
    .map((one) => [
      String(one.id),
      oneLine(one.prompt, 60),
      String(sizes.get(one.prompt) ?? 0),
      one.split === 'train' ? 'training' : 'held out',
      String(one.expectations?.length ?? 0),
    ])
  const [head = '', ...table] = alignColumns([['id', 'task', 'sessions', 'part', 'expectations'], ...rows], [0, 2, 4])
  const more = evals.length > mostShown ? [`and ${evals.length - mostShown} more`] : []
  const read = `${formatPlural(sessions, 'session')}${copies > 0 ? ` (${copies} recorded twice)` : ''}: ${formatPlural(evals.length, 'case')} and ${countQueries(queries.queries.length, 'trigger ')}`
  const removed = Object.entries(result.removed).map(([name, count]) => `${count} ${name}`)
  const notes = [
    ...(missing === null ? [] : [`INCOMPLETE: the model did not phrase all expectations: ${missing}`]),
    ...Object.entries(leftOut).map(([reason, count]) => `${formatPlural(count, 'session')} left out: ${reason}`),
    ...(refused.length === 0
      ? []
      : [
          `${formatPlural(refused.length, 'file')} not used, such as ${shortPath(refused[0]?.file ?? '')}: ${refused[0]?.reason}`,
        ]),
    ...(queries.unclear.length === 0
      ? []
      : [`${countQueries(queries.unclear.length)} left out: the skill was read in other sessions of the same task`]),
    ...warnings,
  ]
  return [
    bold(toSafeLine(read)),
    ...(evals.length === 0 ? [] : [dim(head), ...table.map(toSafeLine), ...more]),
    '',
    ...notes.flatMap((note) => wrapText(`- ${oneLine(note, 400)}`, width)).map((line) => yellow(line)),
    ...wrapText(
      removed.length === 0
        ? 'Nothing that looks like a secret or personal data was found.'
        : `Removed: ${removed.join(', ')}.`,
      width,
    ),
    ...(spent === null ? [] : [dim(spent.costUsd === null ? 'cost not known' : dollarsText(spent.costUsd))]),
    `${dim(dryRun ? 'would write' : 'wrote')} ${files.map(shortPath).join(', ')}`,
    ...(dryRun
      ? []
      : wrapText(
          `Review before you commit: read every case and query, remove what is private, fix the expectations, add the files, and delete "review": "draft". ${typedCommand()} check lists what is left.`,
          width,
        )),
  ]
}

function countQueries(count: number, kind = ''): string {
  return `${count} ${kind}${count === 1 ? 'query' : 'queries'}`
}

function shortPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return toSafeLine(relative === '' || relative.startsWith('..') ? file : relative)
}
