/** What was given as skills: without the files that a shell's glob brought along, and each skill once. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { isSuiteFile } from '../phases/1-plan/load.ts'

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

/** One place alone is what the user means, whatever it is. */
export async function givenSkills(given: readonly string[]): Promise<GivenSkills> {
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

export const plainFile = 'a file, neither a SKILL.md nor a suite'

/** A file that is neither a skill nor its suite. */
export async function isPlainFile(place: string): Promise<boolean> {
  const isFile = (await stat(place).catch(() => null))?.isFile() === true
  return isFile && path.basename(place) !== 'SKILL.md' && !(await isSuiteFile(path.resolve(place)))
}
