/** Installs what a suite adds around the agent, in Claude Code's layout: hooks, rules, sub-agents, MCP servers. */
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { HookEntry, Hooks } from '../../../../schemas/environment.ts'
import type { Environment, InputFile } from '../../../../schemas/suite.ts'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, hashFile, hashWalk, pathExists, walk } from '../../../base/fs/files.ts'
import { findOwnFile } from '../../../base/fs/inside_folder.ts'
import { quoteWord } from '../../../base/package_root.ts'
import { readYaml } from '../../../base/text/yaml.ts'
import type { InstalledEnvironment, InstalledSkill } from '../../../engines/engine.ts'
import { readSubAgents } from '../../../engines/environment/sub_agents.ts'
import { installRecordings } from '../recorded_servers/recorded_servers.ts'
import { assertNoSymlinkTraps, SetupError } from './symlink_traps.ts'
import { describeInstalled } from './working_folder.ts'

export interface EnvironmentPlace {
  /** The agent's working folder, absolute. */
  cwd: string
  /** Folder for scripts of hooks and servers, absolute and outside of `cwd`, so that the agent cannot change them. */
  folder: string
  /** The path of that folder as the agent sees it; absent: the same. */
  shown?: string
}

/** Installs the same in both configurations and returns it; undefined: the case needs nothing. Throws SetupError. */
export async function installEnvironment(
  wanted: Environment | undefined,
  { cwd, folder, shown = folder }: EnvironmentPlace,
): Promise<InstalledEnvironment | undefined> {
  if (wanted === undefined) return undefined
  await mkdir(folder, { recursive: true })
  await copyAll(wanted.files, { folder, within: folder })
  await copyAll(wanted.rules, { folder: path.join(cwd, '.claude/rules'), within: cwd })
  await copyAll(wanted.agents, { folder: path.join(cwd, '.claude/agents'), within: cwd })
  await copyAll(wanted.commands ?? [], { folder: path.join(cwd, '.claude/commands'), within: cwd })
  await writeTexts(wanted, cwd)
  await lockNamed(wanted.read_only ?? [], cwd)
  const hooks = await moveLongCommands(fillFolderVariable(wanted.hooks, shown), { folder, shown })
  const servers = fillFolderVariable(await installRecordings(wanted, folder), shown)
  if (Object.keys(hooks).length > 0) await writeNew(cwd, '.claude/settings.json', { hooks })
  const mcpConfig = Object.keys(servers).length > 0 ? path.join(cwd, '.mcp.json') : null
  if (mcpConfig !== null) {
    await writeNew(cwd, '.mcp.json', { mcpServers: servers })
  }
  await hideFromGit(cwd)
  return {
    folder,
    hooks,
    rules: await readRuleTexts(wanted.rules, path.join(cwd, '.claude/rules')),
    mcpConfig,
    mcpServers: Object.keys(servers),
    ...(wanted.instructions !== undefined && { instructions: wanted.instructions }),
    ...(wanted.system_prompt !== undefined && { systemPrompt: wanted.system_prompt }),
    ...(wanted.temperature !== undefined && { temperature: wanted.temperature }),
    ...(wanted.tools && { allowedTools: wanted.tools }),
    agents: await readSubAgents(path.join(cwd, '.claude/agents')),
  }
}

/** Files that the environment writes; Claude Code reads AGENTS.md as CLAUDE.md. */
async function writeTexts({ texts = {}, agent_texts = {}, instructions }: Environment, cwd: string): Promise<void> {
  const own = Object.entries(agent_texts).map(([name, text]) => [`.claude/agents/${name}.md`, text] as const)
  const told = instructions === undefined ? [] : (['AGENTS.md', '.claude/CLAUDE.md'] as const)
  const all = [...Object.entries(texts), ...own, ...told.map((name) => [name, instructions ?? ''] as const)]
  for (const [name, text] of all) {
    const file = path.join(cwd, name)
    assertNoSymlinkTraps(cwd, [file])
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
      throw new SetupError(
        `environment: ${errnoCode(error) === 'EEXIST' ? `${name} already exists` : errorMessage(error)}`,
      )
    })
  }
}

/** Replaces ${ENVIRONMENT_DIR} in every text of the value. */
function fillFolderVariable<V>(value: V, folder: string): V {
  const text = JSON.stringify(folder).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(/\$\{ENVIRONMENT_DIR\}/g, () => text))
}

/**
 * Puts hook commands of several lines into files of the folder. Claude Code shows the agent the command of a hook that blocks, and the
 * agent should not read the lines around the author's own command. Throws SetupError if the package has a file of that name.
 */
async function moveLongCommands(hooks: Hooks, place: { folder: string; shown: string }): Promise<Hooks> {
  const moved: Hooks = {}
  let number = 0
  for (const [event, groups] of Object.entries(hooks)) {
    moved[event] = []
    for (const group of groups) {
      const entries: HookEntry[] = []
      for (const entry of group.hooks) {
        const isLong = entry.args === undefined && entry.command?.includes('\n')
        number += 1
        entries.push(isLong ? { ...entry, command: await writeHookFile(entry, { ...place, number }) } : entry)
      }
      moved[event].push({ ...group, hooks: entries })
    }
  }
  return moved
}

async function writeHookFile(
  { command = '' }: HookEntry,
  { folder, shown, number }: { folder: string; shown: string; number: number },
): Promise<string> {
  const file = path.join(folder, `hook-${number}.sh`)
  assertNoSymlinkTraps(folder, [file])
  await writeFile(file, `${command}\n`, { flag: 'wx', mode: 0o444 }).catch((error: unknown) => {
    throw new SetupError(`environment: ${path.basename(file)}: ${errorMessage(error)}`)
  })
  return `sh ${quoteWord(path.join(shown, path.basename(file)))}`
}

/** No link may lead out of `within`. */
async function copyAll(
  files: readonly InputFile[],
  { folder, within }: { folder: string; within: string },
): Promise<void> {
  for (const file of files) {
    const target = path.join(folder, file.path)
    assertNoSymlinkTraps(within, [target])
    const sha256 = await copyOne(file, target).catch((error: unknown) => {
      throw new SetupError(`environment: ${errorMessage(error)}`)
    })
    if (sha256 !== file.sha256)
      throw new SetupError(`environment: ${file.source} has changed since the plan was written`)
  }
}

/** Copies the file read-only and returns the hash of its content. */
async function copyOne(file: InputFile, target: string): Promise<string> {
  if (await pathExists(target)) throw new Error(`${file.path}: another file of the case already has this path`)
  await mkdir(path.dirname(target), { recursive: true })
  if (file.kind === 'directory') {
    const { files } = await walk(file.source)
    await copyWalk(files, target)
    for (const one of files) await lock(path.join(target, one.path))
    return hashWalk(files)
  }
  await copyFile(file.source, target)
  await lock(target)
  return hashFile(target)
}

async function lockNamed(names: readonly string[], cwd: string): Promise<void> {
  for (const name of names) {
    const file = path.join(cwd, name)
    assertNoSymlinkTraps(cwd, [file])
    await lock(file).catch((error: unknown) => {
      throw new SetupError(`environment: read_only: ${errorMessage(error)}`)
    })
  }
}

async function lock(file: string): Promise<void> {
  await chmod(file, (await stat(file)).mode & 0o555)
}

async function writeNew(cwd: string, name: string, value: unknown): Promise<void> {
  const file = path.join(cwd, name)
  assertNoSymlinkTraps(cwd, [file])
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { flag: 'wx', mode: 0o444 }).catch((error: unknown) => {
    if (errnoCode(error) !== 'EEXIST') throw error
    throw new SetupError(`environment: ${path.basename(file)} would overwrite an input file of the case`)
  })
}

async function hideFromGit(cwd: string): Promise<void> {
  const exclude = path.join(cwd, '.git/info/exclude')
  assertNoSymlinkTraps(cwd, [exclude])
  const own = findOwnFile(cwd, '.git/info/exclude')
  if (own !== null) await writeFile(own, `${await readFile(own, 'utf8')}/.claude/\n/.mcp.json\n`)
}

async function readRuleTexts(rules: readonly InputFile[], folder: string): Promise<InstalledEnvironment['rules']> {
  const texts: InstalledEnvironment['rules'] = []
  for (const rule of rules) {
    const file = path.join(folder, rule.path)
    const names = rule.kind === 'file' ? [''] : (await walk(file)).files.map((one) => one.path)
    for (const name of names) {
      texts.push({ name: path.join(rule.path, name), text: await readFile(path.join(file, name), 'utf8') })
    }
  }
  return texts
}

/** Installs further skills in the engine's skills folders and returns them. Throws SetupError. */
export async function installSkills(
  wanted: Environment | undefined,
  cwd: string,
  skillsFolders: readonly string[],
): Promise<InstalledSkill[]> {
  const files = wanted?.skills ?? []
  const folders = skillsFolders.map((folder) => path.join(cwd, folder))
  for (const folder of folders) await copyAll(files, { folder, within: cwd })
  const names = files.filter(({ path: name }) => /^[^/]+\/SKILL\.md$/.test(name)).map((file) => path.dirname(file.path))
  return Promise.all(
    names.map(async (name) => {
      const places = folders.map((folder) => path.join(folder, name))
      const text = await readFile(path.join(places[0] ?? cwd, 'SKILL.md'), 'utf8')
      return describeInstalled({ name, description: readDescriptionLine(text) ?? name }, places)
    }),
  )
}

function readDescriptionLine(text: string): string | null {
  const [, block = ''] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\n---/.exec(text) ?? []
  const yaml = readYaml(block)
  if (!yaml.ok || typeof yaml.texts !== 'object' || yaml.texts === null || !('description' in yaml.texts)) return null
  return String(yaml.texts.description)
}
