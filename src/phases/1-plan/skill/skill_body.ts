/** Reads the instructions of a skill, for activation: loaded, which puts them before the agent. */
import path from 'node:path'
import { readText } from '../../../base/json/json.ts'
import { splitFrontmatter } from './frontmatter.ts'

/** The text of each skill's SKILL.md below its frontmatter, by the skill's sha256. `folders`: sha256 → folder, absolute. */
export async function readSkillBodies(folders: Iterable<readonly [string, string]>): Promise<Map<string, string>> {
  const bodies = new Map<string, string>()
  for (const [sha256, folder] of folders) {
    bodies.set(sha256, splitFrontmatter(await readText(path.join(folder, 'SKILL.md'))).body.trim())
  }
  return bodies
}

/** The same text on every engine, so that both configurations differ by it alone. */
export function prependSkill(prompt: string, name: string, body: string): string {
  return `The skill ${name} is loaded. Its instructions:\n\n<skill name="${name}">\n${body}\n</skill>\n\n${prompt}`
}
