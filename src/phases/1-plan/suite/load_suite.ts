/** Finds and loads the suite of a skill, in any format. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { hashFile, hashWalk, pathExists, walk } from '../../../base/fs/files.ts'
import { missingPathError } from '../../../base/fs/nearest_path.ts'
import { searchSuite, suiteFormats } from '../formats/table.ts'
import { isHiddenFromAgents } from '../skill/read_skill.ts'
import type { InspectedSuite, SuiteFormat } from './inspected_suite.ts'

/**
 * Loads the suite of a skill's folder, or an explicit suite file. `skillRoot` is the base of input files; default for an
 * explicit file: the nearest folder above with SKILL.md. Throws UserError if there is no suite, if it is unreadable, or
 * if agents would find it in the installed skill.
 */
export async function loadSuite(place: string, skillRoot?: string): Promise<Suite> {
  const { suite, mistakes } = await inspectSuite(place, skillRoot)
  if (mistakes.length === 0) return suite
  const more = mistakes.length > 5 ? ` (and ${mistakes.length - 5} more)` : ''
  const listed = mistakes.slice(0, 5).map(({ at, message }) => `${at}: ${message}`)
  const { checksPage: page } = suiteFormats[suite.format] ?? {}
  const fix = page === undefined ? fieldsFix : `docs/reference/${page} shows the checks of a case`
  throw new UserError(`${suite.path}: ${listed.join('; ')}${more}`, fix)
}

const fieldsFix =
  'these fields are Whetstone\'s own: docs/reference/evals-json.md shows each; statements for a judge go to "expectations"'

/** The same for a check: returns a suite with every mistake. Throws UserError if there is none to inspect. */
export async function inspectSuite(place: string, skillRoot?: string): Promise<InspectedSuite> {
  const { format, file, root } = await locateSuite(place, skillRoot)
  const read = await format.inspect(file, root)
  const others = (await listSuitesBeside(path.resolve(place))).filter((other) => other !== file)
  const passedOver = others.map((other) => ({
    file: other,
    at: '$',
    message: 'another suite of the folder, which is not read: choose one with --suite',
  }))
  return { ...read, suite: { ...read.suite, warnings: [...read.suite.warnings, ...passedOver] } }
}

/** Those that a folder holds, in formats whose suites are one file; none for a file, which was chosen. */
async function listSuitesBeside(place: string): Promise<string[]> {
  const found: string[] = []
  if (!(await stat(place)).isDirectory()) return found
  for (const { find, findAll, isAnywhere } of Object.values(suiteFormats)) {
    const first = isAnywhere === true ? await find(place) : null
    found.push(...((await findAll?.(place)) ?? (first === null ? [] : [first])))
  }
  return found
}

/** Hex sha256 of a suite's content, file or folder, without results of earlier runs. */
export async function hashSuite({ path: place }: Suite): Promise<string> {
  if (!(await stat(place)).isDirectory()) return hashFile(place)
  return hashWalk((await walk(place, { skip: (name) => name === 'results' || name === 'runs' })).files)
}

export async function hasSuite(folder: string): Promise<boolean> {
  return (await findSuite(folder)) !== null
}

export async function findSuite(folder: string): Promise<string | null> {
  return (await locateInFolder(folder))?.file ?? null
}

/** Whether a file is a suite, judged by its name or content. An unreadable candidate counts, so that it is reported. */
export async function isSuiteFile(file: string): Promise<boolean> {
  const format: SuiteFormat | undefined = Object.values(suiteFormats).find(({ reads }) => reads(file))
  return format !== undefined && ((await format.isMeant?.(file)) ?? true)
}

interface LocatedSuite {
  format: SuiteFormat
  file: string
  root: string
}

async function locateSuite(place: string, skillRoot?: string): Promise<LocatedSuite> {
  const given = path.resolve(place)
  const info = await stat(given).catch(() => null)
  if (info === null) throw missingPathError(given, 'file or folder', 'pass the skill folder or the suite file')
  if (info.isDirectory()) {
    const isSkill = skillRoot === undefined || (await pathExists(path.join(given, 'SKILL.md')))
    const found = (await locateInFolder(given)) ?? (await refuseFolder(given))
    return isSkill ? found : { ...found, root: path.resolve(skillRoot) }
  }
  const root = skillRoot === undefined ? await findSkillRoot(path.dirname(given)) : path.resolve(skillRoot)
  await refuseVisibleSuite(given, root)
  return { format: findSuiteFormat(given), file: given, root }
}

async function locateInFolder(folder: string): Promise<LocatedSuite | null> {
  for (const format of Object.values(suiteFormats)) {
    const file = await format.find(folder)
    if (file !== null) return { format, file, root: folder }
  }
  return null
}

async function refuseFolder(folder: string): Promise<never> {
  const visible = await searchSuite('findVisible', folder)
  if (visible !== null) await refuseVisibleSuite(visible.place, folder)
  throw new UserError(`${folder}: no suite found`, await suggestSuite(folder))
}

/** What to do for a folder without a suite. */
export async function suggestSuite(folder: string): Promise<string> {
  const ofPlugin = await searchSuite('findForSkills', folder)
  return ofPlugin === null
    ? 'draft one with whetstone init, or write evals/evals.json (docs/reference/formats.md shows all formats)'
    : `name that of its plugin: --suite ${ofPlugin.place}`
}

function findSuiteFormat(file: string): SuiteFormat {
  const format = Object.values(suiteFormats).find(({ reads }) => reads(file))
  if (format !== undefined) return format
  throw new UserError(
    `${file}: unknown suite format`,
    `expected one of ${Object.keys(suiteFormats).join(', ')} (docs/reference/formats.md)`,
  )
}

/** Throws UserError for a suite that is a part of the skill: the skill is copied into the agent's workspace, so it would reveal the answers. */
export async function refuseVisibleSuite(file: string, root: string): Promise<void> {
  if (!(await pathExists(path.join(root, 'SKILL.md')))) return
  const inside = path.relative(root, file)
  const isOutside = inside.startsWith('..') || path.isAbsolute(inside)
  if (isOutside || isHiddenFromAgents(inside.split(path.sep).join('/'))) return
  throw new UserError(
    `${file}: agents would see this suite, because it is part of the skill`,
    `move it, and the files that it names, to ${root}/evals/`,
  )
}

/** The nearest folder above with SKILL.md; otherwise the folder itself, or the parent of `evals/`. */
export async function findSkillRoot(folder: string): Promise<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await pathExists(path.join(at, 'SKILL.md'))) return at
    if (path.dirname(at) === at) break
  }
  return path.basename(folder) === 'evals' ? path.dirname(folder) : folder
}
