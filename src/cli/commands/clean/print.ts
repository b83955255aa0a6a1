/** Formats what workspaces keep and what clean removes. */
import path from 'node:path'
import type { CleanReport, Removal } from '../../../../schemas/clean_report.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { alignColumns, colours, toSafeLine } from '../../terminal/style.ts'
import { sizeText } from '../options/amounts.ts'

/** A table of kinds for each workspace. */
export function contentLines({ workspaces }: CleanReport): string[] {
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

export function removalLines({ removals, kept, bytes, dry_run }: CleanReport): string[] {
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
