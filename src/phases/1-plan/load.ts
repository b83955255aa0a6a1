/** Finds and loads the suite of a skill, whatever its format. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../schemas/suite.ts'
import { absence } from '../../base/dead_link.ts'
import { UserError } from '../../base/error.ts'
import { exists, hashFile, hashWalk, walk } from '../../base/files.ts'
import { formats, type SuiteFormat } from './formats/table.ts'
import type { InspectedSuite } from './inspected.ts'
import { isHiddenFromAgents } from './skill.ts'

/**
 * Loads the suite of a skill's folder, or an explicit suite file. `skillRoot` is where input files are looked for; of
 * an explicit file without it: the nearest folder above that holds SKILL.md. Throws UserError when there is no
 * suite, when it can't be read, or when agents would find it in the skill they get.
 */
export async function loadSuite(place: string, skillRoot?: string): Promise<Suite> {
  const { format, file, root } = await locateSuite(place, skillRoot)
  return format.load(file, root)
}

/** The same for a check: a suite with every mistake in it. Throws UserError where there is none to inspect. */
export async function inspectSuite(place: string, skillRoot?: string): Promise<InspectedSuite> {
  const { format, file, root } = await locateSuite(place, skillRoot)
  return format.inspect(file, root)
}

/** Hex sha256 of a suite's content, be it a file or a folder; results of earlier runs in it left out. */
export async function hashSuite({ path: place }: Suite): Promise<string> {
  if (!(await stat(place)).isDirectory()) return hashFile(place)
  return hashWalk((await walk(place, { skip: (name) => name === 'results' || name === 'runs' })).files)
}

/** Whether a skill's folder has a suite of any format. */
export async function hasSuite(folder: string): Promise<boolean> {
  return (await inFolder(folder)) !== null
}

/** Whether a file is meant as a suite: by its name, since it reads as one, or since nobody can tell, which is to be said. */
export async function isSuiteFile(file: string): Promise<boolean> {
  const format: SuiteFormat | undefined = Object.values(formats).find(({ reads }) => reads(file))
  return format !== undefined && ((await format.isMeant?.(file)) ?? true)
}

interface Located {
  format: SuiteFormat
  file: string
  root: string
}

async function locateSuite(place: string, skillRoot?: string): Promise<Located> {
  const given = path.resolve(place)
  const info = await stat(given).catch(() => null)
  if (info === null)
    throw new UserError(
      `${given}: ${absence(given, 'no such file or folder')}`,
      'give the skill folder or the suite file',
    )
  if (info.isDirectory()) {
    const isSkill = skillRoot === undefined || (await exists(path.join(given, 'SKILL.md')))
    const found = (await inFolder(given)) ?? noSuite(given)
    return isSkill ? found : { ...found, root: path.resolve(skillRoot) }
  }
  const root = skillRoot === undefined ? await rootAbove(path.dirname(given)) : path.resolve(skillRoot)
  if (await exists(path.join(root, 'SKILL.md'))) refuseInSight(given, root)
  return { format: formatOf(given), file: given, root }
}

async function inFolder(folder: string): Promise<Located | null> {
  for (const format of Object.values(formats)) {
    const file = await format.find(folder)
    if (file !== null) return { format, file, root: folder }
  }
  return null
}

function noSuite(folder: string): never {
  const known = Object.values(formats).map(({ places }) => places.join(' or '))
  throw new UserError(`${folder}: no suite found`, `write ${known.join(', or ')}; docs/formats.md shows one`)
}

function formatOf(file: string): SuiteFormat {
  const format = Object.values(formats).find(({ reads }) => reads(file))
  if (format !== undefined) return format
  throw new UserError(`${file}: no format that Whetstone reads`, `known: ${Object.keys(formats).join(', ')}`)
}

/** The skill is copied to where the agent works: a suite in it would hand over the answer key. */
function refuseInSight(file: string, root: string): void {
  const inside = path.relative(root, file)
  const isOutside = inside.startsWith('..') || path.isAbsolute(inside)
  if (isOutside || isHiddenFromAgents(inside.split(path.sep).join('/'))) return
  throw new UserError(
    `${file}: agents would find the suite there, it is part of the skill`,
    `move it to ${root}/evals/`,
  )
}

/** The nearest folder above that holds SKILL.md; without one the folder itself, or what holds `evals/`. */
export async function rootAbove(folder: string): Promise<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await exists(path.join(at, 'SKILL.md'))) return at
    if (path.dirname(at) === at) break
  }
  return path.basename(folder) === 'evals' ? path.dirname(folder) : folder
}
