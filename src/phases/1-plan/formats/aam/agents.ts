/** agents/<name>/agent.yaml and system-prompt.md of an AAM package: who the agent is, what it may use. */
import path from 'node:path'
import { entriesIn } from '../../../../base/files.ts'
import { readText } from '../../../../base/json.ts'
import { ownFile } from '../../../../base/own_file.ts'
import type { Warn } from '../../warnings.ts'
import { leavesFolder } from './config.ts'
import { openAamFile } from './fields.ts'

export interface AamAgent {
  name: string
  description: string
  /** What it is told of itself. */
  prompt: string
  /** Folders of the package's skills; null: it lists none, and has all. */
  skills: string[] | null
  /** By Claude Code's names; null: it lists none, and has all. */
  tools: string[] | null
  /** The same as a file of .claude/agents/. */
  asSubAgent: string
}

interface Known {
  skillNames: readonly string[]
  commandNames: readonly string[]
}

/** What AAM calls tools, and what Claude Code does. */
const toolNames: Readonly<Record<string, readonly string[]>> = {
  file_read: ['Read', 'Glob', 'Grep'],
  file_write: ['Write', 'Edit'],
  file_edit: ['Edit'],
  file_search: ['Glob', 'Grep'],
  search: ['Glob', 'Grep'],
  shell: ['Bash'],
  bash: ['Bash'],
  web_fetch: ['WebFetch'],
  web_search: ['WebSearch'],
  browser: ['WebFetch', 'WebSearch'],
}

/** Never throws: an agent that can't be read is left out, with a warning. */
export async function readAgents(folder: string, known: Known, warn: Warn): Promise<AamAgent[]> {
  const agents: AamAgent[] = []
  for (const entry of entriesIn(folder)) {
    const place = path.join(folder, entry.name)
    const agent = entry.isDirectory()
      ? await readAgent(place, known, warn)
      : entry.name.endsWith('.md')
        ? await readLegacy(place)
        : null
    if (agent !== null) agents.push(agent)
  }
  return agents
}

async function readAgent(folder: string, known: Known, warn: Warn): Promise<AamAgent | null> {
  const file = path.join(folder, 'agent.yaml')
  const root = path.dirname(path.dirname(folder))
  const text = await readText(file).catch(() => null)
  if (text === null) {
    warn(file, 'no such file; the agent is left out')
    return null
  }
  const { fields, mistakes, unknown } = openAamFile(text, file)
  const name = fields.text('name') ?? path.basename(folder)
  const description = fields.text('description')
  const prompt = fields.text('system_prompt') ?? 'system-prompt.md'
  const skills = fields.has('skills') ? fields.texts('skills') : null
  const commands = fields.texts('commands')
  const tools = fields.has('tools') ? fields.texts('tools') : null
  const parameters = fields.inner('parameters')
  const manner = [
    ...mannerOf(parameters.text('style'), 'Style'),
    ...mannerOf(parameters.text('output_format'), 'Output format'),
  ]
  if (parameters.has('temperature')) warn(file, 'parameters.temperature is not passed on: no engine here takes one')
  fields.known('version')
  parameters.known('temperature')
  if (description === null) fields.wrong('description', 'is missing')
  const own = leavesFolder(prompt) ? null : ownFile(root, path.relative(root, path.join(folder, prompt)))
  const body = own === null ? null : await readText(own).catch(() => null)
  if (body === null) fields.wrong('system_prompt', `names ${prompt}, which can't be read below the agent's folder`)
  for (const { at, message } of [...mistakes, ...unknown()]) warn(at, message)
  if (body === null) return null
  for (const one of skills ?? []) if (!known.skillNames.includes(one)) warn(file, `skill ${one} is not in the package`)
  for (const one of commands) if (!known.commandNames.includes(one)) warn(file, `command ${one} is not in the package`)
  const mapped =
    tools === null ? null : mappedTools(tools, (tool) => warn(file, `tool ${tool} has no counterpart here`))
  const told = [withoutFrontmatter(body), ...manner].join('\n\n')
  return {
    ...{ name, description: description ?? name, prompt: told, skills, tools: mapped },
    asSubAgent: subAgentText({ name, description: description ?? name, prompt: told, tools: mapped }),
  }
}

function mannerOf(value: string | null, what: string): string[] {
  return value === null || value === '' ? [] : [`${what}: ${value}`]
}

/** The older form: one file that is a sub-agent already. */
async function readLegacy(file: string): Promise<AamAgent | null> {
  const text = await readText(file).catch(() => null)
  if (text === null) return null
  const name = path.basename(file, '.md')
  const description = /^description:[ \t]*(.+)$/m.exec(text)?.[1] ?? name
  return { name, description, prompt: withoutFrontmatter(text), skills: null, tools: null, asSubAgent: text }
}

function mappedTools(tools: readonly string[], odd: (tool: string) => void): string[] {
  const mapped = tools.flatMap((tool) => {
    const own = toolNames[tool]
    if (own !== undefined) return own
    if (/^[A-Z]/.test(tool)) return [tool] // Claude Code's own names
    odd(tool)
    return []
  })
  return [...new Set(mapped)]
}

function withoutFrontmatter(text: string): string {
  return text
    .replace(/^\uFEFF?/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^---[ \t]*\n[\s\S]*?\n---[ \t]*(\n|$)/, '')
    .trim()
}

function subAgentText({
  name,
  description,
  prompt,
  tools,
}: Pick<AamAgent, 'name' | 'description' | 'prompt' | 'tools'>) {
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    ...(tools === null ? [] : [`tools: ${tools.join(', ')}`]),
  ]
  return `---\n${lines.join('\n')}\n---\n\n${prompt}\n`
}
