/** Adds the page's data that loads on demand: each run in the previous iteration, and the skill's text in each version. */
import path from 'node:path'
import { type Page, pageKey } from '../../../schemas/page.ts'
import type { Redactor } from '../../base/secrets/redact.ts'
import { readPageNotes } from './data/benchmark_extras.ts'
import { findPreviousIteration } from './data/previous_iteration.ts'
import { isReused } from './data/reused_runs.ts'
import { readPageVersions } from './data/skill_versions.ts'
import type { PagePayload } from './data_placement.ts'
import { readPreviousRun } from './run_detail.ts'

interface Source {
  /** The benchmark's, absolute. */
  folder: string
  redactor: Redactor
  carried: PagePayload
}

/** A note belongs to a run, by its name there, or to a whole case. */
export function addPrevious(page: Page, { folder, redactor, carried }: Source): void {
  const previous = findPreviousIteration(folder)
  if (previous === null) return
  const { runs, cases } = page
  page.previous_name = path.basename(previous.folder)
  const renamed = new Map<string, string>()
  runs.before = runs.folder.map((own, index) => {
    const before = previous.runOf({ eval_id: cases[runs.case[index] ?? -1]?.eval_id ?? -1, folder: own })
    if (before === null) return 0
    renamed.set(noteId(before), noteId(own))
    renamed.set(
      noteId(path.posix.dirname(path.posix.dirname(before))),
      noteId(path.posix.dirname(path.posix.dirname(own))),
    )
    const source = path.join(previous.folder, before)
    if (runs.detail[index] !== 0 && isReused(path.join(folder, own), source)) return 3
    return carried.put(`before-${pageKey(own)}`, () => redactor.value(readPreviousRun(source)), source)
  })
  page.previous = readPageNotes(path.join(previous.folder, 'feedback.json')).map((note) => {
    return { ...note, run_id: renamed.get(note.run_id) ?? note.run_id }
  })
}

/** skill-creator's form: the folder with - for each /. */
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
  const found = readPageVersions(workspace, names)
  if (found === null) return
  page.extras.versions = {
    names: Object.keys(found.versions),
    at: carried.put('versions', () => redactor.value(found)),
  }
}
