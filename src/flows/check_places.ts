/** What `check` looks at: the skills that were named, those below what was named, and the suites of plugins. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { exists } from '../base/files.ts'
import { evalsOfPlugin } from '../phases/1-plan/formats/plugin_eval.ts'
import { hasSuite, isSuiteFile } from '../phases/1-plan/load.ts'

export interface CheckPlace {
  /** Absolute; a skill's folder, its SKILL.md, or a suite. */
  place: string
  /** Where its suite is; null: it may do without one; absent: in the skill. */
  suite?: string | null
}

/**
 * Every place once. A glob gives the skills it matches; a folder without SKILL.md, the skills below it, and the suite
 * of the plugin that it is. `suite`: that of each skill; null: each has its own.
 */
export async function checkPlaces(given: readonly string[], suite: string | null): Promise<CheckPlace[]> {
  const found = new Map<string, CheckPlace>()
  for (const one of given) {
    const isThere = await exists(one)
    const places = isThere ? await placesIn(path.resolve(one), suite) : await matches(one)
    for (const place of places) if (!found.has(place.place)) found.set(place.place, place)
  }
  if (suite === null) return [...found.values()]
  return [...found.values()].map(({ place }) => ({ place, suite: path.resolve(suite) }))
}

async function matches(pattern: string): Promise<CheckPlace[]> {
  const found = await skillsMatching(pattern)
  return (found.length === 0 ? [path.resolve(pattern)] : found).map((place) => ({ place }))
}

/** Absolute, by name: the skills and suites that a pattern matches, which the shell did not; none where it is no pattern. */
export async function skillsMatching(pattern: string): Promise<string[]> {
  if (!/[*?[{]/.test(pattern)) return []
  const all = await glob(pattern, { onlyFiles: false, absolute: true, expandDirectories: false })
  const places = all.map((place) => place.replace(/[/\\]$/, '')).sort()
  const skills: string[] = []
  for (const place of places) if ((await isSkill(place)) || (await isSuite(place))) skills.push(place)
  return skills
}

async function placesIn(place: string, named: string | null): Promise<CheckPlace[]> {
  if (path.basename(place) === 'SKILL.md') return [{ place: path.dirname(place) }]
  if (!(await stat(place)).isDirectory() || (await isSkill(place))) return [{ place }]
  const ignore = ['**/node_modules/**', '**/.git/**', '**/evals/**']
  const below = await glob('**/SKILL.md', { cwd: place, absolute: true, ignore, dot: true })
  const skills = below.map((file) => path.dirname(file)).sort()
  if (skills.length === 0) return [{ place }]
  const suite = named === null ? evalsOfPlugin(place) : null
  return suite === null ? skills.map((skill) => ({ place: skill })) : ofPlugin(skills, suite)
}

/** The only skill is checked together with the suite; several, or one with a suite of its own, beside it. */
async function ofPlugin(skills: readonly string[], suite: string): Promise<CheckPlace[]> {
  const [only] = skills
  if (only !== undefined && skills.length === 1 && !(await hasSuite(only))) return [{ place: only, suite }]
  const places = await Promise.all(
    skills.map(async (place): Promise<CheckPlace> => ((await hasSuite(place)) ? { place } : { place, suite: null })),
  )
  return [{ place: suite }, ...places]
}

async function isSkill(place: string): Promise<boolean> {
  return path.basename(place) === 'SKILL.md' || (await exists(path.join(place, 'SKILL.md')))
}

async function isSuite(place: string): Promise<boolean> {
  return (await stat(place).catch(() => null))?.isFile() === true && (await isSuiteFile(place))
}
