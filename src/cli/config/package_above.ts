/** What came together: the folder that is the work of whoever wrote the skill, and so may set less. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../base/files.ts'

/** What makes a folder, and all in it, the work of whoever wrote the skill rather than the user's. */
const marks = ['package.agent.json', 'SKILL.md', 'AGENT.md', 'evals/rubric.md']

/** The outermost folder with such a mark, as far as the user's repository goes, where it really lies; null: there is none. */
export async function packageAbove(place: string): Promise<string | null> {
  const folder = await realpath(place).catch(() => place)
  let found = (await exists(path.join(folder, 'EVAL.md'))) ? folder : null
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) {
    for (const mark of marks) if (await exists(path.join(at, mark))) found = at
    if (await exists(path.join(at, '.git'))) break
  }
  return found
}
