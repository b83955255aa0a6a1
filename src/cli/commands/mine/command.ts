/** `whetstone mine`: drafts cases and trigger queries from recorded sessions. */
import path from 'node:path'
import type { ArgumentsCamelCase, Argv, Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import type { MineRequest, MineResult } from '../../../flows/mine/mine.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { exitCodes } from '../../exit_codes.ts'
import { alignColumns, colours, dollarsText, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'
import { initFlags } from '../init/options.ts'
import { refuseForm } from '../options/refused_value.ts'
import { type SetExitCode, wholeNumber, withFlow, withJson } from '../options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../options/sandbox_flags.ts'

function mineOptions(args: Argv) {
  return withJson(args)
    .positional('sessions', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'files of recorded sessions, or folders of them',
    })
    .options(mineFlags)
    .options(sandboxFlags)
    .usage(
      '$0 mine <sessions..> [options]\n\nDraft cases and trigger queries from recorded sessions.\n\nTasks that recur become cases, what was corrected or accepted becomes expectations. No model is asked unless you name one. Secrets and personal data of known forms are removed, without guarantee: review the files before you commit them.',
    )
    .example('$0 mine ~/.claude/projects --skill skills/pdf', 'draft cases and queries for a skill into mined/')
    .example('$0 mine ~/.codex/sessions --since 2026-01-31 --dry-run', 'show which tasks recur, write nothing')
    .example('$0 mine sessions --engine anthropic:opus', 'have a model phrase the expectations')
    .epilogue('Exit codes: 0 written, 2 a mistake or nothing to draft from, 3 the model did not phrase all, 130 Ctrl-C')
}

type MineArguments = ArgumentsCamelCase<ReturnType<typeof mineOptions> extends Argv<infer T> ? T : never>

function buildMineRequest(parsed: MineArguments): MineRequest {
  const { engine = null, model = null, baseUrl = null, passEnv } = parsed
  const asks = engine !== null || model !== null
  if (!asks && baseUrl !== null)
    throw new UserError('--base-url without --engine or --model', 'name the model that phrases expectations')
  return {
    places: parsed.sessions,
    skill: parsed.skill ?? null,
    out: parsed.out ?? null,
    minCount: parsed.minCount,
    maxCases: parsed.maxCases ?? null,
    since: parsed.since ?? null,
    dryRun: parsed.dryRun,
    model: asks ? { engine: engine ?? 'auto', model, baseUrl, passEnv, sandbox: sandboxWish(parsed) } : null,
  }
}

export function addMine(args: Argv, done: SetExitCode): Argv {
  const what = 'draft cases and trigger queries from recorded sessions'
  return args.command('mine <sessions..>', what, mineOptions, async (parsed) => {
    const { mine } = await import('../../../flows/mine/mine.ts')
    const request = buildMineRequest(parsed)
    const { json, dryRun } = parsed
    const manner = { json, concurrency: 1, waits: parsed, goesOn: null, stopping: 'Stopping: nothing is written.' }
    const { result } = await withFlow(manner, (context) => mine(request, context))
    done(showMined(result, { json, dryRun }))
  })
}

const most = 1_000_000

function parseOneSkill(value: unknown): string | undefined {
  if (Array.isArray(value)) throw refuseForm('skill', 'one folder', 'run mine once for each skill')
  return value === undefined ? undefined : String(value)
}

/** A date, or a date and time; of a date alone its beginning in UTC. */
function parseSince(value: unknown): Date | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  const date = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text)
    ? new Date(text)
    : new Date(Number.NaN)
  if (!Number.isNaN(date.getTime()) && (text.length > 10 || date.toISOString().startsWith(text))) return date
  throw refuseForm('since', 'a date such as 2026-01-31', 'use a date such as --since 2026-01-31')
}

const mineFlags = {
  skill: {
    type: 'string',
    requiresArg: true,
    coerce: parseOneSkill,
    describe: 'folder of the skill that the drafts are for',
  },
  out: {
    type: 'string',
    alias: 'o',
    requiresArg: true,
    defaultDescription: 'mined',
    describe: 'new folder for the drafts',
  },
  'min-count': {
    type: 'number',
    requiresArg: true,
    default: 2,
    coerce: wholeNumber('min-count', 1, most),
    describe: 'sessions with a task from which on it recurs',
  },
  'max-cases': {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('max-cases', 1, most)(value)),
    defaultDescription: 'all recurring tasks',
    describe: 'most cases to draft, the most frequent tasks first',
  },
  since: { type: 'string', requiresArg: true, coerce: parseSince, describe: 'only sessions from this date on' },
  engine: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'none: no model is asked',
    describe: 'engine that phrases expectations: name[:model]',
  },
  model: { ...initFlags.model, describe: 'model that phrases expectations' },
  'base-url': initFlags['base-url'],
  'pass-env': initFlags['pass-env'],
  prices: initFlags.prices,
  'max-wait': initFlags['max-wait'],
  'dry-run': { type: 'boolean', default: false, describe: 'print what would be written, write and ask nothing' },
} satisfies Record<string, Options>

/** 0; 3 if the model did not phrase all expectations. */
function showMined(result: MineResult, { json, dryRun }: { json: boolean; dryRun: boolean }): number {
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
