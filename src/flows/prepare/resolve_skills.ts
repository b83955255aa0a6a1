/** Resolves the skill arguments: skips files that a shell glob added, and names each skill once. */
import { existsSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { pathExists } from '../../base/fs/files.ts'
import { isSuiteFile } from '../../phases/1-plan/suite/load_suite.ts'

interface SkippedPlace {
  /** As given. */
  place: string
  reason: string
}

export interface ResolvedSkills {
  /** As given, in that order; all of them if none would be left. */
  skills: string[]
  passedOver: SkippedPlace[]
}

/** Replaces each folder without a SKILL.md by the skills below it; one without any stays. */
export async function expandSkillFolders(given: readonly string[], cwd = process.cwd()): Promise<string[]> {
  const expanded = await Promise.all(
    given.map(async (place) => {
      const folder = path.resolve(cwd, place)
      const info = await stat(folder).catch(() => null)
      if (!info?.isDirectory() || existsSync(path.join(folder, 'SKILL.md'))) return [place]
      const below = await findNestedSkills(folder)
      return below.length === 0 ? [place] : below.map((one) => path.relative(cwd, one) || '.')
    }),
  )
  return expanded.flat()
}

/** Expands a pattern that the shell left unexpanded. A single place is always kept, whatever it is. */
export async function resolveSkills(asGiven: readonly string[]): Promise<ResolvedSkills> {
  const given = (await Promise.all(asGiven.map(expandSkillPattern))).flat()
  if (given.length === 1) return { skills: given, passedOver: [] }
  const folders = new Set<string>()
  const skills: string[] = []
  const passedOver: SkippedPlace[] = []
  for (const place of given) {
    const folder = path.resolve(path.basename(place) === 'SKILL.md' ? path.dirname(place) : place)
    if (await isPlainFile(place)) passedOver.push({ place, reason: plainFileReason })
    else if (folders.has(folder)) passedOver.push({ place, reason: 'the same skill was named before' })
    else {
      folders.add(folder)
      skills.push(place)
    }
  }
  return skills.length === 0 ? { skills: [...given], passedOver: [] } : { skills, passedOver }
}

/** Matches as the shell would, without suites: --suite names those. */
async function expandSkillPattern(place: string): Promise<string[]> {
  if (existsSync(place)) return [place]
  const all = await globSkills(place)
  const found = all.filter((one) => path.basename(one) === 'SKILL.md' || statSync(one).isDirectory())
  if (found.length === 0) return [place]
  return found.map((one) => (path.isAbsolute(place) ? one : path.relative(process.cwd(), one)))
}

export const plainFileReason = 'a file, neither a SKILL.md nor a suite'

/** A file that is neither a skill nor its suite. */
export async function isPlainFile(place: string): Promise<boolean> {
  const isFile = (await stat(place).catch(() => null))?.isFile() === true
  return isFile && path.basename(place) !== 'SKILL.md' && !(await isSuiteFile(path.resolve(place)))
}

/** Absolute, by name: skills and suites matching a pattern that the shell did not expand; empty if it is not a pattern. */
export async function globSkills(pattern: string): Promise<string[]> {
  if (!/[*?[{]/.test(pattern)) return []
  const all = await glob(pattern, { onlyFiles: false, absolute: true, expandDirectories: false })
  const places = all.map((place) => place.replace(/[/\\]$/, '')).sort()
  const skills: string[] = []
  for (const place of places) if ((await isSkill(place)) || (await isSuite(place))) skills.push(place)
  return skills
}

/** The folders with a SKILL.md at any depth, absolute, sorted. */
export async function findNestedSkills(folder: string): Promise<string[]> {
  const ignore = ['**/node_modules/**', '**/.git/**', '**/evals/**']
  const below = await glob('**/SKILL.md', { cwd: folder, absolute: true, ignore, dot: true })
  return below.map((file) => path.dirname(file)).sort()
}

export async function isSkill(place: string): Promise<boolean> {
  return path.basename(place) === 'SKILL.md' || (await pathExists(path.join(place, 'SKILL.md')))
}

async function isSuite(place: string): Promise<boolean> {
  return (await stat(place).catch(() => null))?.isFile() === true && (await isSuiteFile(place))
}
