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
  const pairs = befores.flatMap((before, index): Pair[] => {
    const isThere = before !== null && runs.detail[index] !== 0
    return isThere ? [[path.join(folder, runs.folder[index] ?? ''), path.join(previous.folder, before)]] : []
  })
  const compared = (await details?.compared(pairs)) ?? pairs.map(([own, before]) => isReused(own, before))
  const reused = new Set(pairs.flatMap(([own], at) => (compared[at] ? [own] : [])))
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
    if (reused.has(path.join(folder, own))) return 3
    return carried.put(`before-${pageKey(own)}`, () => redactor.value(readBefore(source)), source)
  })
  page.previous = notesOf(path.join(previous.folder, 'feedback.json')).map((note) => {
    return { ...note, run_id: renamed.get(note.run_id) ?? note.run_id }
  })
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
