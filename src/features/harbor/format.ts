/** Loads Harbor tasks: a folder with task.toml, instruction.md, environment/ and tests/, or a folder of such folders. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { bothArmsNote, type InspectedSuite, type SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { collectWarnings } from '../../phases/1-plan/suite/loader_warnings.ts'
import { readHarborCase } from './case.ts'

const harborPlaces = ['task.toml with instruction.md, environment/ and tests/']

/** The folder, if it is a task or has tasks as its subfolders; null: neither. */
async function findHarbor(folder: string): Promise<string | null> {
  if (await pathExists(path.join(folder, 'SKILL.md'))) return null
  return (await listHarborTasks(folder)).length > 0 ? folder : null
}

/** Every outermost folder with a task.toml, or the folder of several. */
function discoverHarbor({ files }: { files: readonly string[] }): string[] {
  const tasks = files.flatMap((file) => (path.posix.basename(file) === 'task.toml' ? [path.posix.dirname(file)] : []))
  const complete = tasks.filter((task) => files.includes(path.posix.join(task, 'instruction.md')))
  return [...new Set(complete.map((task) => (task === '.' ? '.' : path.posix.dirname(task))))]
}

function isHarborFile(file: string): boolean {
  return path.basename(file) === 'task.toml'
}

/** A task, or a folder of tasks, is its own root. */
function findHarborRoot(place: string): string {
  return isHarborFile(place) ? path.dirname(place) : place
}

export async function inspectHarbor(given: string): Promise<InspectedSuite> {
  const place = (await stat(given).catch(() => null))?.isFile() ? path.dirname(given) : given
  const folders = await listHarborTasks(place)
  if (folders.length === 0) throw new UserError(`${place}: no Harbor task found`, `write ${harborPlaces.join(' or ')}`)
  const { warn, list } = collectWarnings(place)
  const cases: SuiteCase[] = []
  for (const [index, folder] of folders.entries()) {
    const key = path.basename(folder)
    cases.push({ eval_id: index + 1, ...(await readHarborCase(folder, key, warn)) })
  }
  const suite = {
    format: 'harbor',
    path: place,
    skill_name: path.basename(place),
    root: place,
    cases,
    warnings: list(),
  }
  return { suite, places: folders.map((file) => ({ file, at: null })), mistakes: [] }
}

/** The task itself, or the tasks in a folder, sorted; absolute. */
async function listHarborTasks(folder: string): Promise<string[]> {
  const isTask = (place: string) => pathExists(path.join(place, 'task.toml'))
  if (await isTask(folder)) return [path.resolve(folder)]
  const found: string[] = []
  for (const entry of listEntries(folder)) {
    const place = path.join(folder, entry.name)
    if (entry.isDirectory() && (await isTask(place))) found.push(path.resolve(place))
  }
  return found.sort()
}

export const harborFormat: SuiteFormat = {
  places: harborPlaces,
  find: findHarbor,
  findTasks: findHarbor,
  note: bothArmsNote,
  discover: discoverHarbor,
  rootOf: findHarborRoot,
  reads: isHarborFile,
  inspect: inspectHarbor,
}
