/** What else the page carries on demand: each run as it was in the iteration before, the skill as each version had it. */
import path from 'node:path'
import { type Page, pageKey } from '../../../schemas/page.ts'
import type { Redactor } from '../../base/redact.ts'
import { notesOf } from './beside.ts'
import type { Carried } from './carried.ts'
import type { DetailsAhead, Pair } from './details_ahead.ts'
import { previousOf } from './previous.ts'
import { readBefore } from './read_detail.ts'
import { isReused } from './reused.ts'
import { versionsOf } from './versions.ts'

interface Source {
  /** Of the benchmark, absolute. */
  folder: string
  redactor: Redactor
  carried: Carried
}

/** A note is found by its run's name there, or is of a whole case. `details`: who compares runs with those of before. */
export async function addPrevious(
  page: Page,
  { folder, redactor, carried, details }: Source & { details: DetailsAhead | null },
): Promise<void> {
  const previous = previousOf(folder)
  if (previous === null) return
  const { runs, cases } = page
  page.previous_name = path.basename(previous.folder)
  const befores = runs.folder.map((own, index) => {
    return previous.runOf({ eval_id: cases[runs.case[index] ?? -1]?.eval_id ?? -1, folder: own })
  })
  const pairAt = (index: number): Pair | null => {
    const before = befores[index] ?? null
    if (before === null || runs.detail[index] === 0) return null
    return [path.join(folder, runs.folder[index] ?? ''), path.join(previous.folder, before)]
  }
  const reused = await reusedOf(befores.length, pairAt, details)
  const renamed = new Map<string, string>()
  runs.before = runs.folder.map((own, index) => {
    const before = befores[index] ?? null
    if (before === null) return 0
    renamed.set(noteId(before), noteId(own))
    renamed.set(
      noteId(path.posix.dirname(path.posix.dirname(before))),
      noteId(path.posix.dirname(path.posix.dirname(own))),
    )
    const source = path.join(previous.folder, before)
    if (reused[index] === 1) return 3
    return carried.put(`before-${pageKey(own)}`, () => redactor.value(readBefore(source)), source)
  })
  page.previous = notesOf(path.join(previous.folder, 'feedback.json')).map((note) => {
    return { ...note, run_id: renamed.get(note.run_id) ?? note.run_id }
  })
}

/** Runs that are compared together: the paths of very many would take much. */
const together = 1000

/** 1 for each pair whose first was taken from its second; null: there is none. */
async function reusedOf(
  runs: number,
  pairAt: (index: number) => Pair | null,
  details: DetailsAhead | null,
): Promise<Uint8Array> {
  const reused = new Uint8Array(runs)
  for (let from = 0; from < runs; from += together) {
    const indices = Array.from({ length: Math.min(together, runs - from) }, (_, at) => from + at)
    const some = indices.flatMap((index) => {
      const pair = pairAt(index)
      return pair === null ? [] : [{ index, pair }]
    })
    const compared = await details?.compared(some.map(({ pair }) => pair))
    for (const [at, { index, pair }] of some.entries()) {
      if (compared?.[at] ?? isReused(...pair)) reused[index] = 1
    }
  }
  return reused
}

/** skill-creator's: the folder with / as -. */
function noteId(folder: string): string {
  return folder.replaceAll('/', '-')
}

export function addVersions(
  page: Page,
  { workspace, redactor, carried }: Omit<Source, 'folder'> & { workspace: string },
): void {
  const { history } = page.extras
  if (history === undefined || !('value' in history)) return
  const names = history.value.iterations.map(({ version }) => version)
  const found = versionsOf(workspace, names)
  if (found === null) return
  page.extras.versions = {
    names: Object.keys(found.versions),
    at: carried.put('versions', () => redactor.value(found)),
  }
}
