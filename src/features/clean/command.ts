/** `whetstone clean`: shows what workspaces keep, and removes what you choose. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Argv } from 'yargs'
import type { CleanReport, Removal } from '../../../schemas/clean_report.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { parseAge } from '../../cli/commands/options/common_flags.ts'
import { number, onOff, text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { askYesNo, canAnswer } from '../../cli/terminal/question.ts'
import { alignColumns, colours, toSafeLine } from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { CleanAge, CleanRequest } from './choose_removals.ts'

const usualPlace = 'workspaces'

function cleanOptions(args: Argv) {
  return args
    .positional('workspaces', {
      type: 'string',
      array: true,
      default: [usualPlace],
      describe: 'workspaces, folders of workspaces, or single benchmarks',
    })
    .options({
      'older-than': { ...text, describe: 'choose what began before 12h, 30d or 2w' },
      'keep-last': { ...number, describe: 'keep so many newest ones of each kind and skill' },
      transcripts: { ...onOff, describe: 'remove only transcripts and outputs; verdicts and page stay' },
      cache: { ...onOff, describe: 'also remove cached runs (docs/reference/cache.md)' },
      temp: { ...onOff, describe: 'also remove what killed processes left behind' },
      yes: { ...onOff, describe: 'remove without asking; without it, only show' },
      json: { ...onOff, describe: 'print one JSON document' },
    })
    .usage(
      '$0 clean [workspaces..] [options]\n\nShow what workspaces keep and how large it is; remove what you choose.\n\nRemoves nothing without --yes or your answer. Keeps benchmarks in progress, the last one of each skill (unless you name its folder), and what improve needs.',
    )
    .example('$0 clean', 'show what is kept in ./workspaces')
    .example('$0 clean --older-than 90d --keep-last 5 --yes', 'remove old benchmarks, keep the five newest')
    .example('$0 clean --transcripts --older-than 30d --yes', 'keep numbers and verdicts, remove what agents wrote')
    .example('$0 clean --cache --temp --yes', 'remove cached runs and leftovers')
}

export function addClean(args: Argv, done: SetExitCode): Argv {
  const text = 'show what is kept, and remove what you choose'
  return args.command('clean [workspaces..]', text, cleanOptions, async (parsed) => {
    const { json, yes } = parsed
    const request = toCleanRequest(parsed)
    const { planClean } = await import('./clean.ts')
    await withFlow({ json, oneDocument: true, concurrency: 1 }, async (context) => {
      const { report, perform } = await planClean(request, context)
      if (!json) process.stdout.write(`${[...contentLines(report), ...removalLines(report)].join('\n')}\n`)
      const isWanted = report.removals.length > 0 && (yes || (await askToRemove(report.bytes, { json, yes })))
      const ended = isWanted ? await perform() : report
      if (json) process.stdout.write(`${jsonText(ended)}\n`)
      else if (isWanted) process.stdout.write(`\n${removalLines(ended).join('\n')}\n`)
      else if (report.removals.length > 0) process.stdout.write('\nNothing was removed: add --yes.\n')
      done(ended.removals.length < report.removals.length ? exitCodes.incomplete : exitCodes.done)
    })
  })
}

async function askToRemove(bytes: number, how: { json: boolean; yes: boolean }): Promise<boolean> {
  return canAnswer(how) && (await askYesNo(`Remove ${sizeText(bytes)}?`, 'nothing was removed'))
}

type CleanArguments = Awaited<ReturnType<typeof cleanOptions>['argv']>

/** Without a filter nothing is chosen but the places that are benchmarks themselves. --temp needs no workspace. */
function toCleanRequest({
  workspaces: places,
  olderThan,
  keepLast,
  transcripts,
  cache,
  temp,
}: CleanArguments): CleanRequest {
  if (keepLast !== undefined && !(Number.isInteger(keepLast) && keepLast >= 1)) {
    throw new UserError('--keep-last: expected a whole number from 1', 'use a number such as --keep-last 5')
  }
  const olderThanMs = olderThan === undefined ? null : parseAge('older-than', olderThan)
  const age: CleanAge = { olderThanMs, keepLast: keepLast ?? null }
  const hasFilter = olderThanMs !== null || keepLast !== undefined
  return {
    places: temp && !existsSync(usualPlace) ? places.filter((one) => one !== usualPlace) : places,
    folders: hasFilter && !transcripts ? age : null,
    transcripts: transcripts ? age : null,
    cache: cache ? { olderThanMs } : null,
    temp,
  }
}

function contentLines({ workspaces }: CleanReport): string[] {
  const { bold, dim } = colours(process.stdout)
  return workspaces.flatMap(({ workspace, kinds }) => {
    const rows = kinds.map(({ kind, folders, bytes, transcript_bytes, oldest }) => [
      kind,
      String(folders),
      sizeText(bytes),
      transcript_bytes > 0 ? sizeText(transcript_bytes) : '–',
      oldest ?? '–',
    ])
    const header = ['kind', 'folders', 'size', 'transcripts, outputs', 'oldest']
    const [first = '', ...rest] = alignColumns([header, ...rows], [1, 2, 3])
    return [bold(toSafeLine(showPath(workspace))), dim(`  ${first}`), ...rest.map((line) => `  ${line}`), '']
  })
}

const whatWords: Readonly<Record<Removal['what'], string>> = {
  folder: 'whole',
  transcripts: 'transcripts, outputs',
  cache: 'cached runs and answers',
  leftover: 'leftover',
}

function removalLines({ removals, kept, bytes, dry_run }: CleanReport): string[] {
  if (removals.length === 0 && kept.length === 0)
    return dry_run ? ['Chosen for removal: nothing.'] : ['Removed: nothing.']
  const rows = removals.map((one) => [sizeText(one.bytes), whatWords[one.what], showPath(one.path)])
  const title = `${dry_run ? 'Would remove' : 'Removed'} ${formatPlural(removals.length, 'item')}, ${sizeText(bytes)}:`
  const hasCopies =
    removals.some(({ what }) => what === 'transcripts') && !removals.some(({ what }) => what === 'cache')
  return [
    ...(removals.length === 0 ? [] : [title, ...alignColumns(rows, [0]).map((line) => `  ${toSafeLine(line)}`)]),
    ...kept.map(({ path: place, reason }) => `Kept ${toSafeLine(`${showPath(place)}: ${reason}`)}`),
    ...(hasCopies
      ? [
          'Quotes in grading.json and the final answer in run.json stay. The cache may keep copies of runs: add --cache.',
        ]
      : []),
  ]
}

function showPath(place: string): string {
  const short = path.relative(process.cwd(), place)
  return short.startsWith('..') ? place : short || '.'
}

/** Bytes in words: 1.2 MB. */
function sizeText(bytes: number): string {
  const power = bytes >= 1e9 ? 3 : bytes >= 1e6 ? 2 : bytes >= 1e3 ? 1 : 0
  const unit = ['B', 'kB', 'MB', 'GB'][power]
  const value = bytes / 1000 ** power
  return `${value >= 100 || unit === 'B' ? Math.round(value) : value.toFixed(1)} ${unit}`
}
