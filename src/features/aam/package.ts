/** Reads an AAM package as evals install it: skills, hooks, rules, agents, commands, MCP servers, AGENTS.md. */
import path from 'node:path'
import { type Hooks, type McpServers, mcpServers } from '../../../schemas/environment.ts'
import type { InputFile } from '../../../schemas/suite.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { listEntries, pathExists, walk } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { hashFileContent } from '../../phases/1-plan/suite/input_files.ts'
import type { Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { type AamAgent, readAgents } from './agents.ts'
import { type FieldMistake, readPackageText } from './fields.ts'
import { readAamHooks, toClaudeHooks } from './hooks.ts'

interface AamSkill {
  /** Name of its folder; `name` is from its SKILL.md. */
  folder: string
  name: string
  /** Absolute. */
  path: string
  /** Paths <folder>/…, without its tests. */
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
  /** Text of AGENTS.md. */
  instructions: string | null
  /** Files that hooks and servers may need: the package without evals and tests; empty if it has neither hooks nor servers. */
  files: InputFile[]
  /** Text of package.agent.json as the agent finds it. */
  minimal: string
  /** Mistakes that keep every case from running. */
  mistakes: FieldMistake[]
}

/** Never throws: skips what is unreadable, with a warning. */
export async function readAamPackage(root: string, warn: Warn): Promise<AamPackage> {
  const [manifest, hooks, servers, skills, rules, commands, instructions] = await Promise.all([
    readManifest(root, warn),
    readAamHooks(root),
    readServers(root, warn),
    readPackageSkills(root, warn),
    readPackageRules(root, warn),
    flatFiles(path.join(root, 'commands')),
    readInstructions(root, warn),
  ])
  for (const { at, message } of hooks?.warnings ?? []) warn(at, message)
  const { name, version } = manifest
  const installed = { skills, hooks: hooks === null ? {} : toClaudeHooks(hooks), rules, commands }
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
    mistakes: hooks?.mistakes ?? [],
    minimal: `${JSON.stringify({ name, version: version ?? '0.0.0', description: manifest.description }, null, 2)}\n`,
  }
}

interface Manifest {
  name: string
  version: string | null
  description: string
}

async function readManifest(root: string, warn: Warn): Promise<Manifest> {
  const file = path.join(root, 'package.agent.json')
  const nameless = { name: path.basename(root) || 'package', version: null, description: '' }
  if (!(await pathExists(file))) {
    warn(file, "no such file; the folder's name is used")
    return nameless
  }
  try {
    const value = parseJson(await readPackageText(root, file), file)
    if (!isJsonObject(value)) throw new Error('not an object')
    warnOfManifest(value, file, warn)
    if (readNonEmptyText(value.name) === null) warn(file, "it has no name; the folder's is used")
    return {
      name: readNonEmptyText(value.name) ?? nameless.name,
      version: readNonEmptyText(value.version),
      description: readNonEmptyText(value.description) ?? '',
    }
  } catch (error) {
    warn(file, errorMessage(error))
    return nameless
  }
}

/** Manifest fields that eval reads, and those that only describe the package. */
const manifestFields: ReadonlySet<string> = new Set(
  '$schema name version description artifacts dependencies quality author authors license homepage repository keywords tags'.split(
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
  for (const one of listQualityEntries(quality, 'evals')) warn(`${file} quality`, `${one} is not run: eval runs evals/`)
}

/** Warnings of `test` about tests that the manifest names but that are not run. Never throws. */
export async function listUnrunTests(root: string): Promise<string[]> {
  const file = path.join(root, 'package.agent.json')
  if (!(await pathExists(file))) return []
  const value = await readPackageText(root, file)
    .then((text) => parseJson(text, file))
    .catch(() => null)
  const unrun = isJsonObject(value) ? listQualityEntries(value.quality, 'tests') : []
  return unrun.map((one) => `${file} quality: ${one} is not run: the tests of skills and hooks are`)
}

/** Formats each entry of one list; a value that is not a list is one entry. */
function listQualityEntries(quality: unknown, list: 'tests' | 'evals'): string[] {
  const given = isJsonObject(quality) ? quality[list] : quality
  if (given === undefined || given === null) return []
  return [given].flat().map((one) => `${list}: ${JSON.stringify(one)}`)
}

/** Tests and evals contain expected answers, so agents must not see them. */
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
  return Promise.all(files.map((file) => hashInput(file.source, file.path)))
}

/** The hash depends on content only, so that a moved package is the same. */
async function hashInput(source: string, name: string): Promise<InputFile> {
  return { path: name, source, ...(await hashFileContent(source)) }
}

function listFolders(folder: string): string[] {
  return listEntries(folder).flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? entry.name : []))
}

async function readPackageSkills(root: string, warn: Warn): Promise<AamSkill[]> {
  const skills: AamSkill[] = []
  for (const folder of listFolders(path.join(root, 'skills'))) {
    const place = path.join(root, 'skills', folder)
    const file = path.join(place, 'SKILL.md')
    if (!(await pathExists(file))) continue
    const text = await readPackageText(place, file).catch((error: unknown) => {
      warn(file, `${errorMessage(error)}; the skill is left out`)
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
      files: await Promise.all(files.map((file) => hashInput(file.source, `${folder}/${file.path}`))),
    })
  }
  return skills
}

/** Installs rules/<name>/RULE.md as <name>.md, and Markdown files in rules/ under their own names. */
async function readPackageRules(root: string, warn: Warn): Promise<InputFile[]> {
  const rules = path.join(root, 'rules')
  const inner = listFolders(rules).map((name) => [`${name}.md`, path.join(rules, name, 'RULE.md')] as const)
  const made: InputFile[] = await flatFiles(rules)
  for (const [name, source] of inner) {
    if (!(await pathExists(source))) warn(path.dirname(source), 'it does not contain RULE.md, so it is ignored')
    if (findOwnFile(root, path.relative(root, source)) !== null && !made.some((one) => one.path === name))
      made.push(await hashInput(source, name))
  }
  return made
}

async function readInstructions(root: string, warn: Warn): Promise<string | null> {
  const file = path.join(root, 'AGENTS.md')
  if (!(await pathExists(file))) return null
  return readPackageText(root, file).catch((error: unknown) => {
    warn(file, `${errorMessage(error)}; it is left out`)
    return null
  })
}

async function flatFiles(folder: string): Promise<InputFile[]> {
  const names = listEntries(folder).flatMap(({ name }) =>
    name.endsWith('.md') && findOwnFile(path.dirname(folder), `${path.basename(folder)}/${name}`) ? name : [],
  )
  return Promise.all(names.map((name) => hashInput(path.join(folder, name), name)))
}

/** mcp/servers.json: the servers at the top level, or below "servers" or "mcpServers". */
async function readServers(root: string, warn: Warn): Promise<McpServers> {
  const file = path.join(root, 'mcp/servers.json')
  if (!(await pathExists(file))) return {}
  try {
    const value = parseJson(await readPackageText(root, file), file)
    const servers = isJsonObject(value) ? (value.mcpServers ?? value.servers ?? value) : value
    const text = JSON.stringify(servers).replaceAll(/\$\{(PACKAGE_ROOT|CLAUDE_PLUGIN_ROOT)\}/g, `\${ENVIRONMENT_DIR}`)
    return checkAs(mcpServers, JSON.parse(text), 'mcp/servers.json')
  } catch (error) {
    warn(file, `${errorMessage(error)}; no server is started`)
    return {}
  }
}
