/** Finds what `check` examines: named skills, skills below named folders, and suites of plugins and packages. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findNestedSkills, globSkills, isSkill } from '../../flows/prepare/resolve_skills.ts'
import { searchSuite, suiteFormats } from '../../phases/1-plan/formats/table.ts'
import { findSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { findSuite, hasSuite, isSuiteFile } from '../../phases/1-plan/suite/load_suite.ts'

export interface CheckPlace {
  /** Absolute; a skill's folder, its SKILL.md, or a suite. */
  place: string
  /** Its suite's path; null: a suite is optional; absent: in the skill. */
  suite?: string | null
}

/**
 * Every place once. A glob yields matching skills; a folder without SKILL.md yields the skills below it, and its suite if it is a plugin
 * or a package; a folder without any skill yields the suites below it that need none. `suite`: for each skill; null: each has its own.
 */
export async function findCheckPlaces(given: readonly string[], suite: string | null): Promise<CheckPlace[]> {
  const found = new Map<string, CheckPlace>()
  for (const one of given) {
    const isThere = await pathExists(one)
    const places = isThere ? await expandPlace(path.resolve(one), suite) : await matchPattern(one)
    for (const place of places) if (!found.has(place.place)) found.set(place.place, place)
  }
  if (suite === null) return [...found.values()]
  return [...found.values()].map(({ place }) => ({ place, suite: path.resolve(suite) }))
}

async function matchPattern(pattern: string): Promise<CheckPlace[]> {
  const found = await globSkills(pattern)
  return (found.length === 0 ? [path.resolve(pattern)] : found).map((place) => ({ place }))
}

async function expandPlace(place: string, named: string | null): Promise<CheckPlace[]> {
  if (path.basename(place) === 'SKILL.md') return [{ place: path.dirname(place) }]
  if (!(await stat(place)).isDirectory() || (await isSkill(place)) || (await searchSuite('findTasks', place)))
    return [{ place }]
  const skills = await findNestedSkills(place)
  const ofPackage = named === null ? await searchSuite('findForPackage', place) : null
  if (ofPackage !== null) return [{ place: ofPackage.place }, ...(await withOwnSuites(skills))]
  if (skills.length === 0) return (await isSuiteFile(place)) ? [{ place }] : await suitesBelow(place)
  const ofPlugin = named === null ? await searchSuite('findForSkills', place) : null
  return ofPlugin === null ? skills.map((skill) => ({ place: skill })) : withPlugin(skills, ofPlugin.place)
}

/** The suites of an agent or of code in a folder without skills; without one, the folder itself. */
async function suitesBelow(folder: string): Promise<CheckPlace[]> {
  const found = await findSuites(folder, null).catch((error: unknown) => {
    if (error instanceof UserError) return []
    throw error
  })
  const suites = found.filter(({ format }) => suiteFormats[format]?.needsNoSkill)
  return suites.length === 0 ? [{ place: folder }] : suites.map(({ place }) => ({ place }))
}

/** Checks a skill together with the suite if it is the only one; others separately. */
async function withPlugin(skills: readonly string[], suite: string): Promise<CheckPlace[]> {
  const [only] = skills
  if (only !== undefined && skills.length === 1 && [null, suite].includes(await findSuite(only)))
    return [{ place: only, suite }]
  return [{ place: suite }, ...(await withOwnSuites(skills))]
}

function withOwnSuites(skills: readonly string[]): Promise<CheckPlace[]> {
  return Promise.all(skills.map(async (place) => ((await hasSuite(place)) ? { place } : { place, suite: null })))
}
