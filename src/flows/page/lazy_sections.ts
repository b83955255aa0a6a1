/** Adds the page's data that loads on demand: each run in the previous iteration, and the skill's text in each version. */
import path from 'node:path'
import * as z from 'zod'
import { type Page, type PageVersions, pageKey } from '../../../schemas/page.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import type { Redactor } from '../../base/secrets/redact.ts'
import { isTimestampName } from '../../store/paths.ts'
import { readFeedbackNotes } from './data/notes.ts'
import type { PagePayload } from './data_placement.ts'
import { readOutputs } from './read_outputs.ts'
import { readLoose, readPreviousRun } from './run_detail.ts'

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
  page.previous = readFeedbackNotes(path.join(previous.folder, 'feedback.json')).reviews.map((note) => {
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

const sharedFields = z.object({
  started_at: z.string(),
  ended_at: z.string(),
  session_id: z.string().nullable(),
  final_response: z.string(),
  outputs: z.unknown(),
})
const cachedRecord = sharedFields.extend({ cached_from: z.object({ benchmark: z.string() }) })

/** Both are run folders. Compares times, session, answer and the hashes of all outputs in their records. */
function isReused(own: string, before: string): boolean {
  const now = cachedRecord.safeParse(readLoose(path.join(own, 'run.json')))
  if (!now.success) return false
  const then = sharedFields.safeParse(readLoose(path.join(before, 'run.json')))
  const { cached_from, ...rest } = now.data
  return then.success && JSON.stringify(rest) === JSON.stringify(then.data)
}

/** null: no version's folder exists. `names`: of the versions, oldest first. */
function readPageVersions(workspace: string, names: readonly string[]): PageVersions | null {
  const versions: PageVersions['versions'] = {}
  const texts: PageVersions['texts'] = {}
  for (const name of names) {
    // a history may contain any name: only plain folder names may reach versions/
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) continue
    const files = readOutputs(path.join(workspace, 'versions', name))
    if (files.length === 0) continue
    versions[name] = files.map(({ path: file, bytes, sha256, as, body, left_out }) => {
      const isWhole = as === 'text' && sha256 !== null && left_out === null
      if (isWhole) texts[sha256] = body
      return { path: file, bytes, sha256, text: isWhole }
    })
  }
  return Object.keys(versions).length === 0 ? null : { versions, texts }
}

/** Finds the previous iteration: the same skill's benchmark just before this one, and the matching runs in it. */
interface PreviousIteration {
  /** Its folder, absolute. */
  folder: string
  /** The matching run's folder, relative to `folder` with /; null: there is none. */
  runOf(run: { eval_id: number; folder: string }): string | null
}

export function findPreviousIteration(folder: string): PreviousIteration | null {
  const before = previousFolder(folder)
  if (before === null) return null
  const cases = listCaseFolders(before)
  const isThere = (place: string) => isInsideFolder(before, place)
  return {
    folder: before,
    runOf: ({ eval_id, folder: own }) => {
      if (own === '') return null
      if (isThere(path.join(before, own))) return own
      const [, ...rest] = own.split('/')
      // a case may have a different name, but keeps its number
      const other = path.posix.join(cases.get(eval_id) ?? '', ...rest)
      return isThere(path.join(before, other)) ? other : null
    },
  }
}

function listCaseFolders(folder: string): ReadonlyMap<number, string> {
  const names = readNames(folder).filter((name) => /^eval-\d+/.test(name))
  return new Map(names.map((name) => [readCaseId(folder, name), name]))
}

/** `benchmarks/<time>`, another collection's folder, or `iteration-<n>`. */
function previousFolder(folder: string): string | null {
  const [parent, own] = [path.dirname(folder), path.basename(folder)]
  const skill = readSkillName(folder)
  const isEarlier = /^iteration-\d+$/.test(own)
    ? (name: string) => /^iteration-\d+$/.test(name) && iterationNumber(name) < iterationNumber(own)
    : isTimestampName(own)
      ? (name: string) => isTimestampName(name) && byTime(name, own) < 0
      : () => false
  const earlier = readNames(parent).filter(isEarlier).sort(byTime).reverse()
  const same = earlier.find((name) => {
    const other = readSkillName(path.join(parent, name))
    return other === null || skill === null || other === skill
  })
  return same === undefined || !isInsideFolder(parent, path.join(parent, same)) ? null : path.join(parent, same)
}

function byTime(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function iterationNumber(name: string): number {
  return Number(name.replace(/\D+/, ''))
}

const benchmarkName = z.object({ metadata: z.object({ skill_name: z.string() }) })
const plannedSkill = z.object({ skill: z.object({ name: z.string() }) })
const caseMetadata = z.object({ eval_id: z.number() })

function readSkillName(folder: string): string | null {
  const plan = plannedSkill.safeParse(readLoose(path.join(folder, 'plan.json')))
  if (plan.success) return plan.data.skill.name
  const benchmark = benchmarkName.safeParse(readLoose(path.join(folder, 'benchmark.json')))
  return benchmark.success ? benchmark.data.metadata.skill_name : null
}

function readCaseId(folder: string, name: string): number {
  const found = caseMetadata.safeParse(readLoose(path.join(folder, name, 'eval_metadata.json')))
  return found.success ? found.data.eval_id : iterationNumber(name)
}
