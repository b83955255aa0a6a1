/** Reads agents/<name>/agent.yaml and system-prompt.md of an AAM package: who the agent is and what it may use. */
import path from 'node:path'
import { listEntries } from '../../base/fs/files.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { type AamFields, leavesFolder, openPackageFile, readPackageText } from './fields.ts'

export interface AamAgent {
  name: string
  description: string
  /** The agent's system prompt. */
  prompt: string
  version: string | null
  /** Folders or names of the package's skills; null: not listed, so it has all. */
  skills: string[] | null
  /** null: not given. Applies where the agent is the session. */
  temperature: number | null
  /** Names of the package's commands; null: not listed, so it has all. */
  commands: string[] | null
  /** Claude Code's names; null: not listed, so it has all. */
  tools: string[] | null
  asSubAgent: string
}

interface AgentContext {
  /** Absolute folder of the package. */
  root: string
  skills: readonly { folder: string; name: string }[]
  commandNames: readonly string[]
}

/** AAM's tool names → Claude Code's. */
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

/** Never throws: skips an unreadable agent, or a second one of the same name, with a warning. */
export async function readAgents(folder: string, known: AgentContext, warn: Warn): Promise<AamAgent[]> {
  const agents: AamAgent[] = []
  for (const entry of listEntries(folder)) {
    const place = path.join(folder, entry.name)
    const agent = entry.isDirectory()
      ? await readAgent(place, known, warn)
      : entry.name.endsWith('.md')
        ? await readLegacy(place, known.root)
        : null
    if (agent === null) continue
    if (agents.some(({ name }) => name === agent.name)) {
      warn(place, `${agent.name} is another agent's name too; this one is left out`)
    } else agents.push(agent)
  }
  return agents
}

async function readAgent(folder: string, known: AgentContext, warn: Warn): Promise<AamAgent | null> {
  const file = path.join(folder, 'agent.yaml')
  const { isRead, fields, mistakes, unknown } = await openPackageFile(known.root, file)
  if (!isRead) {
    for (const { at, message } of mistakes) warn(at, `${message}; the agent is left out`)
    return null
  }
  const told = {
    name: readAgentName(fields, path.basename(folder)),
    description: fields.text('description'),
    version: fields.text('version'),
    skills: fields.has('skills') ? fields.texts('skills') : null,
    commands: fields.has('commands') ? fields.texts('commands') : null,
  }
  fields.known('skills', 'commands')
  const prompt = fields.text('system_prompt') ?? 'system-prompt.md'
  const tools = fields.has('tools') ? fields.texts('tools') : null
  fields.known('tools')
  const { manner, temperature } = readParameters(fields.inner('parameters'))
  if (told.description === null) fields.wrong('description', 'is missing')
  const body = leavesFolder(prompt)
    ? null
    : await readPackageText(known.root, path.join(folder, prompt)).catch(() => null)
  if (body === null) fields.wrong('system_prompt', `names ${prompt}, which can't be read below the agent's folder`)
  for (const { at, message } of [...mistakes, ...unknown()]) warn(at, message)
  if (body === null) return null
  const skills = known.skills.filter((one) => told.skills?.some((name) => name === one.folder || name === one.name))
  for (const one of told.skills ?? []) {
    if (!skills.some(({ folder: own, name }) => one === own || one === name))
      warn(fields.at('skills'), `skill ${one} is not in the package`)
  }
  for (const one of told.commands ?? [])
    if (!known.commandNames.includes(one)) warn(fields.at('commands'), `command ${one} is not in the package`)
  const mapped =
    tools === null ? null : mapTools(tools, (tool) => warn(fields.at('tools'), `tool ${tool} has no counterpart here`))
  const own = {
    ...told,
    description: told.description ?? told.name,
    prompt: [withoutFrontmatter(body), ...manner].join('\n\n'),
    tools: mapped,
    temperature,
  }
  return { ...own, asSubAgent: subAgentText({ ...own, skillNames: skills.map(({ name }) => name) }) }
}

/** The name is restricted because it becomes a file name. */
function readAgentName(fields: AamFields, folder: string): string {
  const name = fields.text('name')
  if (name === null) return folder
  if (/^[\w.-]{1,64}$/.test(name) && !name.startsWith('.')) return name
  fields.wrong('name', `must be 1 to 64 letters, digits, _, - and dots; ${folder} is used`)
  return folder
}

function readParameters(parameters: AamFields): { manner: string[]; temperature: number | null } {
  const temperature = parameters.number('temperature')
  const isUsable = temperature === null || (temperature >= 0 && temperature <= 2)
  if (!isUsable) parameters.wrong('temperature', 'must be a number from 0 to 2')
  const manner = [
    ...readManner(parameters.text('style'), 'Style'),
    ...readManner(parameters.text('output_format'), 'Output format'),
  ]
  return { manner, temperature: isUsable ? temperature : null }
}

function readManner(value: string | null, what: string): string[] {
  return value === null || value === '' ? [] : [`${what}: ${value}`]
}

/** The older form: a single file that already is a sub-agent. */
async function readLegacy(file: string, root: string): Promise<AamAgent | null> {
  const text = await readPackageText(root, file).catch(() => null)
  if (text === null) return null
  const name = path.basename(file, '.md')
  const description = /^description:[ \t]*(.+)$/m.exec(text)?.[1] ?? name
  const nothing = { version: null, skills: null, commands: null, tools: null, temperature: null }
  return { name, description, prompt: withoutFrontmatter(text), ...nothing, asSubAgent: text }
}

function mapTools(tools: readonly string[], odd: (tool: string) => void): string[] {
  const mapped = tools.flatMap((tool) => {
    const own = toolNames[tool]
    if (own !== undefined) return own
    if (/^(?:[A-Z]|mcp__)/.test(tool)) return [tool] // Claude Code's own names, and those of MCP servers
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

/** Text in Claude Code's format; Claude Code loads the listed skills at the agent's start. */
function subAgentText({
  name,
  description,
  prompt,
  tools,
  skillNames,
}: Pick<AamAgent, 'name' | 'description' | 'prompt' | 'tools'> & { skillNames: readonly string[] }): string {
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    ...(tools === null ? [] : [`tools: ${tools.join(', ')}`]),
    ...(skillNames.length === 0 ? [] : [`skills: ${skillNames.join(', ')}`]),
  ]
  return `---\n${lines.join('\n')}\n---\n\n${prompt}\n`
}
