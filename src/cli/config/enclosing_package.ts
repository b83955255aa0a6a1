/** Finds the folder that a skill's author wrote, whose configuration files may set less. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'

/** Files that mark a folder as the work of a skill's author rather than the user's. */
const marks = ['package.agent.json', 'SKILL.md', 'AGENT.md', 'evals/rubric.md']

/** The outermost folder with such a file, within the user's repository, links resolved; null: there is none. */
export async function findOwningPackage(place: string): Promise<string | null> {
  const folder = await realpath(place).catch(() => place)
  let found = (await pathExists(path.join(folder, 'EVAL.md'))) ? folder : null
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) {
    for (const mark of marks) if (await pathExists(path.join(at, mark))) found = at
    if (await pathExists(path.join(at, '.git'))) break
  }
  return found
}
