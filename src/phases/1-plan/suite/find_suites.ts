/** Finds every suite at or below a path, in any format. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { listEntries } from '../../../base/fs/files.ts'
import { describeMissingPath, isDeadLink, missingPathError } from '../../../base/fs/nearest_path.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { requireValidEvalSuite } from '../check/invalid_suite.ts'
import { suiteFormats } from '../formats/table.ts'
import type { FileTree, SuiteFormat } from './inspected_suite.ts'
import { findSkillRoot, refuseVisibleSuite } from './load_suite.ts'

export interface FoundSuite {
  /** Name of a row of the format table. */
  format: string
  /** Absolute path of a file or a folder. */
  place: string
  /** A note for the user; null: none. */
  note: string | null
  load(): Promise<Suite>
  /** Absolute folder of its subject. */
  findRoot(): Promise<string>
}

/** Maximum number of files in one tree; a larger tree is refused. */
const mostFiles = 200_000

/**
 * Reads a file as the format that its name implies, and searches a folder at any depth; `format` restricts the search.
 * Throws UserError for a missing path, an unknown format, or if nothing is found.
 */
export async function findSuites(given: string, format: string | null): Promise<FoundSuite[]> {
  const rows = selectFormats(format)
  const place = path.resolve(given)
  const info = await stat(place).catch(() => null)
  if (info === null) throw missingPathError(given, 'file or folder', 'pass a suite file, or a folder with suites')
  if (!info.isDirectory()) return [await single(place, rows)]
  const tree = await readTree(place)
  const found: FoundSuite[] = []
  for (const [name, row] of rows) {
    for (const relative of await row.discover(tree)) found.push(toFoundSuite(name, row, path.join(place, relative)))
  }
  if (found.length > 0) return found.sort((a, b) => (a.place < b.place ? -1 : 1))
  const linked = tree.links.find((name) => rows.some(([, row]) => row.reads(path.join(place, name))))
  if (linked !== undefined) {
    const at = path.join(place, linked)
    if (isDeadLink(at))
      throw new UserError(`${at}: ${describeMissingPath(at, 'no such file')}`, 'fix the link, or put the file there')
    const fix = `links are not followed: pass ${linked} itself, or copy it into the folder`
    throw new UserError(`${given}: no suite found`, fix)
  }
  for (const [name, row] of rows) {
    const elsewhere = await row.find(place)
    if (elsewhere !== null) return [ofSkill(toFoundSuite(name, { ...row, rootOf: () => place }, elsewhere), place)]
  }
  const places = rows.flatMap(([, row]) => row.places)
  throw new UserError(`${given}: no suite found`, `add one: ${places.join(', ')} (docs/reference/formats.md)`)
}

/** Suites to read concurrently, because most of the time is spent waiting for the disk. */
const width = 64

/** Reads them concurrently and returns them in order, unreadable ones included. */
export async function loadSuites(
  found: readonly FoundSuite[],
): Promise<{ found: FoundSuite; read: PromiseSettledResult<Suite> }[]> {
  const limit = pLimit(width)
  const read = await Promise.allSettled(found.map((one) => limit(() => one.load())))
  return found.flatMap((one, index) => {
    const end = read[index]
    return end === undefined ? [] : [{ found: one, read: end }]
  })
}

type Row = readonly [name: string, format: SuiteFormat]

function selectFormats(format: string | null): Row[] {
  const rows: Row[] = Object.entries(suiteFormats)
  if (format === null) return rows
  const chosen = rows.filter(([name]) => name === format)
  if (chosen.length > 0) return chosen
  const names = rows.map(([name]) => name)
  throw new UserError(`--format "${format}": unknown format`, suggestChoice(format, names))
}

async function single(file: string, rows: readonly Row[]): Promise<FoundSuite> {
  const [only] = rows.length === 1 ? rows : rows.filter(([, row]) => row.reads(file))
  if (only !== undefined) return toFoundSuite(only[0], only[1], file)
  throw new UserError(
    `${file}: unknown suite format`,
    `expected one of ${rows.map(([name]) => name).join(', ')} (docs/reference/formats.md)`,
  )
}

function toFoundSuite(name: string, row: SuiteFormat, place: string): FoundSuite {
  const rootOf = row.rootOf ?? ((at: string) => findSkillRoot(path.dirname(at)))
  return {
    format: name,
    place,
    note: row.note ?? null,
    load: async () => {
      const root = await rootOf(place)
      if (row.isAnywhere) await refuseVisibleSuite(place, root)
      return requireValidEvalSuite(await row.inspect(place, root))
    },
    findRoot: async () => await rootOf(place),
  }
}

function ofSkill(found: FoundSuite, skill: string): FoundSuite {
  return { ...found, load: async () => ({ ...(await found.load()), root: skill }) }
}

/** Skips dot-folders, node_modules and folders of results; does not follow links. */
async function readTree(root: string): Promise<FileTree & { links: string[] }> {
  const files: string[] = []
  const links: string[] = []
  let entered = 0
  const enter = async (folder: string): Promise<void> => {
    entered += 1
    if (entered % 250 === 0) await immediate() // lets Ctrl-C interrupt the search of a large tree
    for (const entry of listEntries(path.join(root, folder))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!isSkippedFolder(entry.name)) await enter(relative)
      } else if (entry.isFile()) files.push(relative)
      else if (entry.isSymbolicLink()) links.push(relative)
      if (files.length > mostFiles)
        throw new UserError(`${root}: more than ${mostFiles} files`, 'pass a folder further down')
    }
  }
  await enter('')
  return { root, files, links }
}

function isSkippedFolder(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || /^\d{4}-\d\d-\d\dT/.test(name)
}
