/** An AGENT.md: who the agent is, its skills and its sub-agents. */

import path from 'node:path'
import { glob } from 'tinyglobby'
import type { InputFile, LoadWarning } from '../../../../../schemas/suite.ts'
import { exists } from '../../../../base/files.ts'
import { readText } from '../../../../base/json.ts'
import { fileContent } from '../../inputs.ts'
import { textIn } from '../evals_json/fields.ts'
import { type Front, readFront } from '../markdown/front.ts'
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
  const text = await readText(file).catch(() => null)
  if (text === null) return { ...none, reasons: [`${file}: no such file`] }
  const front = readFront(plainText(text))
  if (!('fields' in front)) return { ...none, reasons: [`${file}:${front.at.line}: ${front.message}`] }
  const inner = path.join(folder, 'skills')
  const found = (await exists(inner)) ? await skillsAt(inner) : { skills: [], warnings: [], reasons: [] }
  return {
    ...none,
    ...found,
    warnings: [...found.warnings, ...unreadIn(front, file)],
    name: textIn(front.fields.name) ?? none.name,
    systemPrompt: front.body.trim(),
    model: textIn(front.fields.model),
    agents: await subAgents(folder),
  }
}

const known = new Set(['name', 'description', 'model', 'metadata'])

function unreadIn({ fields, at }: Front, file: string): LoadWarning[] {
  const names = Object.keys(fields).filter((name) => !known.has(name))
  return names.map((name) => ({ file, at: `line ${at([name]).line}`, message: `the field ${name} is not read here` }))
}

/** agents/<name>.md, and every <name>/AGENT.md below; of two of a name the former. */
async function subAgents(folder: string): Promise<InputFile[]> {
  const of = { cwd: folder, ignore: ['AGENT.md', '**/node_modules/**'] }
  const whole = (await glob('**/AGENT.md', of)).map(
    (name) => [`${path.basename(path.dirname(name))}.md`, name] as const,
  )
  const named = (await glob('agents/*.md', of)).filter((name) => name !== 'agents/AGENT.md')
  const files = new Map([...whole.sort(), ...named.sort().map((name) => [path.basename(name), name] as const)])
  return Promise.all(
    [...files].sort().map(async ([called, name]) => {
      const source = path.join(folder, name)
      return { path: called, source, ...(await fileContent(source)) }
    }),
  )
}
