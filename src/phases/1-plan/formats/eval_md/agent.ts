/** Reads an AGENT.md: who the agent is, its skills and its sub-agents. */
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { InputFile, LoadWarning } from '../../../../../schemas/suite.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { readText } from '../../../../base/json/json.ts'
import { hashFileContent } from '../../suite/input_files.ts'
import { readNonEmptyText } from '../evals_json/fields.ts'
import { type MarkdownFront, readFront } from '../markdown/front_matter.ts'
import { normalizeLineEnds } from '../markdown/lines.ts'
import { type FoundSkills, findSkillsInFolder } from './skills.ts'

export interface AgentIdentity extends FoundSkills {
  /** Absolute path of its folder. */
  folder: string
  name: string
  systemPrompt: string
  /** null: not given. */
  model: string | null
  /** Sub-agents as the engine expects them: <name>.md. */
  agents: InputFile[]
}

/** Reads the agent of a folder (or of its AGENT.md). Never throws: mistakes become reasons why its cases cannot run. */
export async function readAgent(place: string): Promise<AgentIdentity> {
  const folder = path.basename(place) === 'AGENT.md' ? path.dirname(place) : place
  const file = path.join(folder, 'AGENT.md')
  const none: AgentIdentity = {
    ...{ folder, name: path.basename(folder), systemPrompt: '', model: null },
    ...{ agents: [], skills: [], warnings: [], reasons: [] },
  }
  const text = await readText(file).catch(() => null)
  if (text === null) return { ...none, reasons: [`${file}: no such file`] }
  const front = readFront(normalizeLineEnds(text))
  if (!('fields' in front)) return { ...none, reasons: [`${file}:${front.at.line}: ${front.message}`] }
  const inner = path.join(folder, 'skills')
  const found = (await pathExists(inner)) ? await findSkillsInFolder(inner) : { skills: [], warnings: [], reasons: [] }
  return {
    ...none,
    ...found,
    warnings: [...found.warnings, ...warnUnreadFront(front, file)],
    name: readNonEmptyText(front.fields.name) ?? none.name,
    systemPrompt: front.body.trim(),
    model: readNonEmptyText(front.fields.model),
    agents: await subAgents(folder),
  }
}

const known = new Set(['name', 'description', 'model', 'metadata'])

function warnUnreadFront({ fields, at }: MarkdownFront, file: string): LoadWarning[] {
  const names = Object.keys(fields).filter((name) => !known.has(name))
  return names.map((name) => ({ file, at: `line ${at([name]).line}`, message: `the field ${name} is not read here` }))
}

/** agents/<name>.md, and every <name>/AGENT.md below; for the same name the former wins. */
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
      return { path: called, source, ...(await hashFileContent(source)) }
    }),
  )
}
