/** Every suite at or below a place, whatever its format. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Suite } from '../../../schemas/suite.ts'
import { absence, isDeadLink } from '../../base/dead_link.ts'
import { UserError } from '../../base/error.ts'
import { entriesIn } from '../../base/files.ts'
import { nearest } from '../../base/nearest.ts'
import { formats, type SuiteFormat, type Tree } from './formats/table.ts'
import { rootAbove } from './load.ts'

/** A suite that was found and not read yet. */
export interface FoundSuite {
  /** A row of the table. */
  format: string
  /** Absolute: a file or a folder. */
  place: string
  /** What a user should know of it; null: nothing. */
  note: string | null
  load(): Promise<Suite>
}

/** Files looked at in one tree; more is no tree of suites. */
const mostFiles = 200_000

/**
 * A file is read as the format that its name says, a folder is searched at any depth; `format` takes that one alone. Throws
 * UserError for a place that is not there, a format that is not known, and where nothing is found.
 */
export async function findSuites(given: string, format: string | null): Promise<FoundSuite[]> {
  const rows = rowsOf(format)
  const place = path.resolve(given)
  const info = await stat(place).catch(() => null)
  if (info === null)
    throw new UserError(
      `${given}: ${absence(given, 'no such file or folder')}`,
      'give a suite, or a folder that holds some',
    )
  if (!info.isDirectory()) return [await single(place, rows)]
  const tree = await readTree(place)
  const found: FoundSuite[] = []
  for (const [name, row] of rows) {
    for (const relative of await row.discover(tree)) found.push(suiteAt(name, row, path.join(place, relative)))
  }
  if (found.length > 0) return found.sort((a, b) => (a.place < b.place ? -1 : 1))
  const linked = tree.links.find((name) => rows.some(([, row]) => row.reads(path.join(place, name))))
  if (linked !== undefined) {
    const at = path.join(place, linked)
    if (isDeadLink(at))
      throw new UserError(`${at}: ${absence(at, 'no such file')}`, 'mend the link, or put the file there')
    const fix = `${linked} is a link, which is not followed in a folder: name it itself, or copy it there`
    throw new UserError(`${given}: no suite found`, fix)
  }
  const places = rows.flatMap(([, row]) => row.places)
  throw new UserError(`${given}: no suite found`, `looked for ${places.join(', ')}; docs/formats.md shows them`)
}

/** Suites read at once: most of the time is spent waiting for the disk. */
const width = 64

/** Reads them side by side, in their order; what could not be read stands beside the others. */
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

function rowsOf(format: string | null): Row[] {
  const rows: Row[] = Object.entries(formats)
  if (format === null) return rows
  const chosen = rows.filter(([name]) => name === format)
  if (chosen.length > 0) return chosen
  const names = rows.map(([name]) => name)
  const near = nearest(format, names)
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known: ${names.join(', ')}`
  throw new UserError(`--format ${format}: no such format`, hint)
}

async function single(file: string, rows: readonly Row[]): Promise<FoundSuite> {
  const [only] = rows.length === 1 ? rows : rows.filter(([, row]) => row.reads(file))
  if (only !== undefined) return suiteAt(only[0], only[1], file)
  throw new UserError(`${file}: no format that Whetstone reads`, `known: ${rows.map(([name]) => name).join(', ')}`)
}

function suiteAt(name: string, row: SuiteFormat, place: string): FoundSuite {
  const rootOf = row.rootOf ?? ((at: string) => rootAbove(path.dirname(at)))
  return { format: name, place, note: row.note ?? null, load: async () => row.load(place, await rootOf(place)) }
}

/** Dot-folders, node_modules and folders of results are not entered; links are not followed. */
async function readTree(root: string): Promise<Tree & { links: string[] }> {
  const files: string[] = []
  const links: string[] = []
  let entered = 0
  const enter = async (folder: string): Promise<void> => {
    entered += 1
    if (entered % 250 === 0) await immediate() // Ctrl-C is heard in a large tree too
    for (const entry of entriesIn(path.join(root, folder))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!isPassedOver(entry.name)) await enter(relative)
      } else if (entry.isFile()) files.push(relative)
      else if (entry.isSymbolicLink()) links.push(relative)
      if (files.length > mostFiles)
        throw new UserError(`${root}: more than ${mostFiles} files`, 'name a folder further down')
    }
  }
  await enter('')
  return { root, files, links }
}

function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || /^\d{4}-\d\d-\d\dT/.test(name)
}
