/** What was given as skills: without the files that a shell's glob brought along, and each skill once. */
import { existsSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { isSuiteFile } from '../phases/1-plan/load.ts'
import { skillsMatching } from './check_places.ts'

interface PassedOver {
  /** As given. */
  place: string
  reason: string
}

export interface GivenSkills {
  /** As given, in that order; all of them where none would be left. */
  skills: string[]
  passedOver: PassedOver[]
}

/** A pattern that the shell left as it is stands for the skills that it matches. One place alone is what the user means, whatever it is. */
export async function givenSkills(asGiven: readonly string[]): Promise<GivenSkills> {
  const given = (await Promise.all(asGiven.map(matched))).flat()
  if (given.length === 1) return { skills: given, passedOver: [] }
  const folders = new Set<string>()
  const skills: string[] = []
  const passedOver: PassedOver[] = []
  for (const place of given) {
    const folder = path.resolve(path.basename(place) === 'SKILL.md' ? path.dirname(place) : place)
    if (await isPlainFile(place)) passedOver.push({ place, reason: plainFile })
    else if (folders.has(folder)) passedOver.push({ place, reason: 'the same skill was named before' })
    else {
      folders.add(folder)
      skills.push(place)
    }
  }
  return skills.length === 0 ? { skills: [...given], passedOver: [] } : { skills, passedOver }
}

/** As the shell would have it, without suites: those are named with --suite. */
async function matched(place: string): Promise<string[]> {
  if (existsSync(place)) return [place]
  const all = await skillsMatching(place)
  const found = all.filter((one) => path.basename(one) === 'SKILL.md' || statSync(one).isDirectory())
  if (found.length === 0) return [place]
  return found.map((one) => (path.isAbsolute(place) ? one : path.relative(process.cwd(), one)))
}

export const plainFile = 'a file, neither a SKILL.md nor a suite'

/** A file that is neither a skill nor its suite. */
export async function isPlainFile(place: string): Promise<boolean> {
  const isFile = (await stat(place).catch(() => null))?.isFile() === true
  return isFile && path.basename(place) !== 'SKILL.md' && !(await isSuiteFile(path.resolve(place)))
}
