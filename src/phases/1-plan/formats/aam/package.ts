/** An AAM package as evals install it: skills, hooks, rules, agents, commands, MCP servers, AGENTS.md. */
import path from 'node:path'
import type { Hooks, McpServers } from '../../../../../schemas/environment.ts'
import { mcpServers } from '../../../../../schemas/environment.ts'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { messageOf } from '../../../../base/error.ts'
import { entriesIn, exists, walk } from '../../../../base/files.ts'
import { checkAs, parseJson } from '../../../../base/json.ts'
import { ownFile } from '../../../../base/own_file.ts'
import { fileContent } from '../../inputs.ts'
import type { Warn } from '../../warnings.ts'
import { isObject, textIn } from '../evals_json/fields.ts'
import { type AamAgent, readAgents } from './agents.ts'
import { claudeHooks, readAamHooks } from './hooks.ts'
import { packageText } from './own.ts'

interface AamSkill {
  /** Its folder's name, and the name in its SKILL.md. */
  folder: string
  name: string
  /** Absolute. */
  path: string
  /** <folder>/…, without its tests. */
  files: InputFile[]
}

export interface AamPackage {
  /** Absolute. */
  root: string
  name: string
  version: string | null
  skills: AamSkill[]
  hooks: Hooks
  rules: InputFile[]
  agents: AamAgent[]
  commands: InputFile[]
  servers: McpServers
  /** What AGENTS.md says. */
  instructions: string | null
  /** What hooks and servers may need of the package: all of it but its evals and tests; empty where there are neither. */
  files: InputFile[]
  /** package.agent.json as the agent finds it. */
  minimal: string
}

/** Never throws: what can't be read is left out, with a warning. */
export async function readPackage(root: string, warn: Warn): Promise<AamPackage> {
  const [manifest, hooks, servers, skills, rules, commands, instructions] = await Promise.all([
    manifestOf(root, warn),
    readAamHooks(root),
    serversOf(root, warn),
    skillsOf(root, warn),
    rulesOf(root, warn),
    flatFiles(path.join(root, 'commands')),
    instructionsOf(root, warn),
  ])
  for (const { at, message } of hooks?.warnings ?? []) warn(at, message)
  const { name, version } = manifest
  const installed = { skills, hooks: hooks === null ? {} : claudeHooks(hooks), rules, commands }
  const commandNames = installed.commands.map((one) => path.basename(one.path, '.md'))
  const needsFiles = Object.keys(installed.hooks).length + Object.keys(servers).length > 0
  return {
    root,
    name,
    version,
    ...installed,
    agents: await readAgents(path.join(root, 'agents'), { root, skills, commandNames }, warn),
    servers,
    instructions,
    files: needsFiles ? await packageFiles(root) : [],
    minimal: `${JSON.stringify({ name, version: version ?? '0.0.0', description: manifest.description }, null, 2)}\n`,
  }
}

interface Manifest {
  name: string
  version: string | null
  description: string
}

async function manifestOf(root: string, warn: Warn): Promise<Manifest> {
  const file = path.join(root, 'package.agent.json')
  const nameless = { name: path.basename(root) || 'package', version: null, description: '' }
  if (!(await exists(file))) {
    warn(file, "no such file; the folder's name is used")
    return nameless
  }
  try {
    const value = parseJson(await packageText(root, file), file)
    if (!isObject(value)) throw new Error('not an object')
    warnOfManifest(value, file, warn)
    if (textIn(value.name) === null) warn(file, "it has no name; the folder's is used")
    return {
      name: textIn(value.name) ?? nameless.name,
      version: textIn(value.version),
      description: textIn(value.description) ?? '',
    }
  } catch (error) {
    warn(file, messageOf(error))
    return nameless
  }
}

/** What eval reads of a manifest, and what only describes the package. */
const manifestFields: ReadonlySet<string> = new Set(
  '$schema name version description dependencies quality author authors license homepage repository keywords tags'.split(
    ' ',
  ),
)

function warnOfManifest(manifest: Record<string, unknown>, file: string, warn: Warn): void {
  const { dependencies, quality } = manifest
  const unread = Object.keys(manifest).filter((name) => !manifestFields.has(name))
  if (unread.length > 0) warn(file, `not read here: ${unread.join(', ')}`)
  const named = Array.isArray(dependencies)
    ? dependencies.map(String)
    : Object.entries(Object(dependencies ?? {})).map(([name, version]) => `${name} ${String(version)}`)
  for (const one of named) warn(`${file} dependencies`, `${one} is not installed: dependencies are not resolved here`)
  for (const one of qualityIn(quality, 'evals')) warn(`${file} quality`, `${one} is not run: eval runs evals/`)
}

/** What `test` tells of a manifest: tests that it names and that are not run. Never throws. */
export async function unrunTests(root: string): Promise<string[]> {
  const file = path.join(root, 'package.agent.json')
  if (!(await exists(file))) return []
  const value = await packageText(root, file)
    .then((text) => parseJson(text, file))
    .catch(() => null)
  const unrun = isObject(value) ? qualityIn(value.quality, 'tests') : []
  return unrun.map((one) => `${file} quality: ${one} is not run: the tests of skills and hooks are`)
}

/** The entries of one list, each in words; what is no list is told as it is. */
function qualityIn(quality: unknown, list: 'tests' | 'evals'): string[] {
  const given = isObject(quality) ? quality[list] : quality
  if (given === undefined || given === null) return []
  return [given].flat().map((one) => `${list}: ${JSON.stringify(one)}`)
}

/** Tests hold what is expected, and evals too: an agent finds neither. */
function isHidden(relative: string): boolean {
  const parts = relative.split('/')
  if (['evals', 'workspaces', 'package.agent.lock'].includes(parts[0] ?? '')) return true
  return parts.some((part) => part === '.git' || part === 'node_modules') || isTests(parts)
}

/** hooks/tests, commands/tests, skills/<name>/tests. */
function isTests([top, second, third]: readonly string[]): boolean {
  if (top === 'hooks' || top === 'commands') return second === 'tests'
  return top === 'skills' && third === 'tests'
}

async function packageFiles(root: string): Promise<InputFile[]> {
  const { files } = await walk(root, { skip: isHidden, unreadable: 'leave_out' })
  return Promise.all(files.map((file) => inputOf(file.source, file.path)))
}

/** Content decides, so that a package moved elsewhere is the same. */
async function inputOf(source: string, name: string): Promise<InputFile> {
  return { path: name, source, ...(await fileContent(source)) }
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? entry.name : []))
}

async function skillsOf(root: string, warn: Warn): Promise<AamSkill[]> {
  const skills: AamSkill[] = []
  for (const folder of foldersIn(path.join(root, 'skills'))) {
    const place = path.join(root, 'skills', folder)
    const file = path.join(place, 'SKILL.md')
    if (!(await exists(file))) continue
    const text = await packageText(place, file).catch((error: unknown) => {
      warn(file, `${messageOf(error)}; the skill is left out`)
      return null
    })
    if (text === null) continue
    const name = /^name:[ \t]*["']?([\w-]+)/m.exec(text)?.[1]
    if (name === undefined)
      warn(file, "its frontmatter has no name: the folder's is used, and agents may not take it for a skill")
    const { files, leftOut } = await walk(place, {
      skip: (name) => isHidden(`skills/${folder}/${name}`),
      unreadable: 'leave_out',
    })
    for (const one of leftOut) warn(place, `${one.path} is left out: ${one.reason}`)
    skills.push({
      folder,
      name: name ?? folder,
      path: place,
      files: await Promise.all(files.map((file) => inputOf(file.source, `${folder}/${file.path}`))),
    })
  }
  return skills
}

/** rules/<name>/RULE.md as <name>.md; a Markdown file in rules/ as it is. */
async function rulesOf(root: string, warn: Warn): Promise<InputFile[]> {
  const rules = path.join(root, 'rules')
  const inner = foldersIn(rules).map((name) => [`${name}.md`, path.join(rules, name, 'RULE.md')] as const)
  const made: InputFile[] = await flatFiles(rules)
  for (const [name, source] of inner) {
    if (!(await exists(source))) warn(path.dirname(source), 'it holds no RULE.md: no rule comes of it')
    if (ownFile(root, path.relative(root, source)) !== null && !made.some((one) => one.path === name))
      made.push(await inputOf(source, name))
  }
  return made
}

/** null: there is no such file. */
async function instructionsOf(root: string, warn: Warn): Promise<string | null> {
  const file = path.join(root, 'AGENTS.md')
  if (!(await exists(file))) return null
  return packageText(root, file).catch((error: unknown) => {
    warn(file, `${messageOf(error)}; it is left out`)
    return null
  })
}

/** The Markdown files of a folder. */
async function flatFiles(folder: string): Promise<InputFile[]> {
  const names = entriesIn(folder).flatMap(({ name }) =>
    name.endsWith('.md') && ownFile(path.dirname(folder), `${path.basename(folder)}/${name}`) ? name : [],
  )
  return Promise.all(names.map((name) => inputOf(path.join(folder, name), name)))
}

/** mcp/servers.json: the servers alone, or below "servers" or "mcpServers". */
async function serversOf(root: string, warn: Warn): Promise<McpServers> {
  const file = path.join(root, 'mcp/servers.json')
  if (!(await exists(file))) return {}
  try {
    const value = parseJson(await packageText(root, file), file)
    const servers = isObject(value) ? (value.mcpServers ?? value.servers ?? value) : value
    const text = JSON.stringify(servers).replaceAll(/\$\{(PACKAGE_ROOT|CLAUDE_PLUGIN_ROOT)\}/g, `\${ENVIRONMENT_DIR}`)
    return checkAs(mcpServers, JSON.parse(text), 'mcp/servers.json')
  } catch (error) {
    warn(file, `${messageOf(error)}; no server is started`)
    return {}
  }
}
