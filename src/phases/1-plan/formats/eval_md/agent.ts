/** An AGENT.md: who the agent is, its skills and its sub-agents. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { exists, hashFile } from '../../../../base/files.ts'
import { textIn } from '../evals_json/fields.ts'
import { readFront } from '../markdown/front.ts'
import { plainText } from '../markdown/lines.ts'
import { type FoundSkills, skillsAt } from './skills.ts'

export interface AgentIdentity extends FoundSkills {
  /** Its folder, absolute. */
  folder: string
  name: string
  systemPrompt: string
  /** null: it names none. */
  model: string | null
  /** Sub-agents as the engine finds them: <name>.md. */
  agents: InputFile[]
}

/** Reads the agent in a folder (or its AGENT.md). Never throws: what is wrong is a reason why nothing of it can run. */
export async function readAgent(place: string): Promise<AgentIdentity> {
  const folder = path.basename(place) === 'AGENT.md' ? path.dirname(place) : place
  const file = path.join(folder, 'AGENT.md')
  const none: AgentIdentity = {
    ...{ folder, name: path.basename(folder), systemPrompt: '', model: null },
    ...{ agents: [], skills: [], warnings: [], reasons: [] },
  }
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return { ...none, reasons: [`${file}: no such file`] }
  const front = readFront(plainText(text))
  if (!('fields' in front)) return { ...none, reasons: [`${file}:${front.at.line}: ${front.message}`] }
  const inner = path.join(folder, 'skills')
  const found = (await exists(inner)) ? await skillsAt(inner) : { skills: [], warnings: [], reasons: [] }
  return {
    ...none,
    ...found,
    name: textIn(front.fields.name) ?? none.name,
    systemPrompt: front.body.trim(),
    model: textIn(front.fields.model),
    agents: await subAgents(folder),
  }
}

async function subAgents(folder: string): Promise<InputFile[]> {
  const found = await glob('**/AGENT.md', { cwd: folder, ignore: ['AGENT.md', '**/node_modules/**'] })
  return Promise.all(
    found.sort().map(async (name) => {
      const source = path.join(folder, name)
      const { size } = await stat(source)
      const called = `${path.basename(path.dirname(name))}.md`
      return { path: called, source, kind: 'file' as const, sha256: await hashFile(source), bytes: size }
    }),
  )
}
