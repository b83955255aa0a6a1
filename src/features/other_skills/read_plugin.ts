/** Reads a plugin: its manifest, and every part that it names or has in a default folder. Broken parts are all listed at once. */
import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Hooks, McpServers } from '../../../schemas/environment.ts'
import { pluginManifest } from '../../../schemas/plugin.ts'
import type { InputFile, Skill } from '../../../schemas/suite.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists, walk } from '../../base/fs/files.ts'
import { checkAs, parseJson, readText } from '../../base/json/json.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { hashFileContent } from '../../phases/1-plan/suite/input_files.ts'
import { readPluginHooks, readPluginServers } from './plugin_hooks.ts'
import { manifestPath, type PluginReading } from './plugin_reading.ts'

export interface Plugin {
  name: string
  /** The plugin's folder, absolute. */
  root: string
  skills: Skill[]
  hooks: Hooks
  servers: McpServers
  /** Markdown files by their path below .claude/agents/ and .claude/commands/. */
  agents: InputFile[]
  commands: InputFile[]
  /** Parts that no run gets, and doubts, one sentence each. */
  warnings: string[]
}

/** `root`: the plugin's folder, absolute. Throws UserError that lists every broken part. */
export async function readPlugin(root: string, links?: SkillLinks): Promise<Plugin> {
  const file = path.join(root, manifestPath)
  const manifest = checkAs(pluginManifest, parseJson(await readText(file), file), file)
  const reading: PluginReading = { root, manifest, problems: [], warnings: [], links }
  const plugin = {
    name: manifest.name,
    root,
    skills: await readPluginSkills(reading),
    hooks: await readPluginHooks(reading),
    servers: await readPluginServers(reading),
    agents: await readMarkdownParts('agents', reading),
    commands: await readMarkdownParts('commands', reading),
  }
  const { problems, warnings } = reading
  if (problems.length > 0) {
    const [count, are] = problems.length === 1 ? ['a part', 'is'] : [`${problems.length} parts`, 'are']
    throw new UserError(
      `plugin ${manifest.name} (${root}): ${count} ${are} broken:\n${problems.map((one) => `  ${one}`).join('\n')}`,
      'fix the plugin, or benchmark the skill alone without --whole-plugin',
      'broken-plugin',
    )
  }
  const left = await listLinksOut(root, plugin.skills)
  return { ...plugin, warnings: [...warnings, ...left, ...(await listUnusedParts(reading))] }
}

/** Links that lead out of the plugin, and what can't be read; skills have rules of their own. */
async function listLinksOut(root: string, skills: readonly Skill[]): Promise<string[]> {
  const own = skills.map((skill) => path.relative(root, skill.path)).filter((place) => place !== '')
  const isPassedOver = (place: string) => own.includes(place) || /(?:^|\/)(?:\.git|node_modules)$/.test(place)
  const { leftOut } = await walk(root, { skip: isPassedOver, unreadable: 'leave_out' })
  return leftOut.map(({ path: place, reason }) => `${place}: ${reason}: runs get the plugin without it`)
}

const parts: readonly [what: string, place: string | null, key: string | null][] = [
  ['output styles', 'output-styles', 'outputStyles'],
  ['language servers', '.lsp.json', 'lspServers'],
  ['monitors', 'monitors', 'monitors'],
  ['themes', 'themes', 'themes'],
  ['workflows', 'workflows', 'workflows'],
  ['programs for PATH (bin/)', 'bin', null],
  ['settings.json', 'settings.json', 'settings'],
  ['values that the user sets (userConfig)', null, 'userConfig'],
  ['channels', null, 'channels'],
  ['other plugins that it depends on', null, 'dependencies'],
]

async function listUnusedParts({ root, manifest }: PluginReading): Promise<string[]> {
  const found: string[] = []
  for (const [what, place, key] of parts) {
    const isNamed = key !== null && key in manifest
    if (isNamed || (place !== null && (await pathExists(path.join(root, place))))) {
      found.push(`${what}: left out, since Whetstone can't give them to an agent`)
    }
  }
  const texts = await Promise.all(
    [manifestPath, 'hooks/hooks.json', '.mcp.json'].map((file) =>
      readFile(path.join(root, file), 'utf8').catch(() => ''),
    ),
  )
  if (texts.some((text) => text.includes('CLAUDE_PLUGIN_DATA')))
    found.push('CLAUDE_PLUGIN_DATA is not set: a run has no data of earlier sessions')
  return found
}

/** The skills below skills/ and below the folders that the manifest names, by folder. */
async function readPluginSkills({ root, manifest, problems, links }: PluginReading): Promise<Skill[]> {
  const usual = (await pathExists(path.join(root, 'skills'))) ? ['skills'] : []
  const folders = new Set<string>()
  for (const place of [...usual, ...toList(manifest.skills)]) {
    const folder = path.join(root, place)
    const found = await listSkillFolders(folder)
    if (found.length === 0 && place !== 'skills') problems.push(`${manifestPath}: skills: no skill in ${place}`)
    for (const one of found) folders.add(one)
  }
  const skills: Skill[] = []
  for (const folder of folders) {
    const found = await readSkill(folder, links).catch((error: unknown) => errorMessage(error))
    if (typeof found === 'string') {
      problems.push(found.replaceAll(`${root}${path.sep}`, ''))
      continue
    }
    const twin = skills.find(({ name }) => name === found.skill.name)
    const place = (one: string) => path.relative(root, one) || '.'
    if (twin) problems.push(`two skills are named ${twin.name}: ${place(twin.path)} and ${place(folder)}`)
    skills.push(found.skill)
  }
  return skills
}

/** The folder itself if it is a skill, else the skills in it; empty: none, or no such folder. */
async function listSkillFolders(folder: string): Promise<string[]> {
  if (await pathExists(path.join(folder, 'SKILL.md'))) return [path.resolve(folder)]
  if (!(await stat(folder).catch(() => null))?.isDirectory()) return []
  const found: string[] = []
  for (const { name } of listEntries(folder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (await pathExists(path.join(folder, name, 'SKILL.md'))) found.push(path.join(folder, name))
  }
  return found
}

/** The Markdown files of agents or commands, by their place below the folder; what the manifest names replaces the default folder. */
async function readMarkdownParts(kind: 'agents' | 'commands', reading: PluginReading): Promise<InputFile[]> {
  const { root, manifest, problems, warnings } = reading
  const given = manifest[kind]
  if (given !== undefined && typeof given === 'object' && !Array.isArray(given)) {
    warnings.push(`${manifestPath}: ${kind} as a map is left out`)
    return []
  }
  const found: InputFile[] = []
  for (const place of given === undefined ? [kind] : toList(given)) {
    const full = path.join(root, place)
    const info = await stat(full).catch(() => null)
    if (info === null) {
      if (given !== undefined) problems.push(`${manifestPath}: ${kind}: no file or folder ${place}`)
      continue
    }
    if (path.relative(await realpath(root), await realpath(full)).startsWith('..')) {
      problems.push(`${manifestPath}: ${kind}: ${place} leads out of the plugin`)
      continue
    }
    const files = info.isDirectory() ? (await walk(full)).files : [{ path: path.basename(full), source: full }]
    for (const file of files.filter(({ path: name }) => /\.md$/i.test(name))) {
      if (found.some((one) => one.path === file.path)) problems.push(`two ${kind} are named ${file.path}`)
      found.push({ path: file.path, source: file.source, ...(await hashFileContent(file.source)) })
    }
  }
  return found
}

function toList(paths: string | readonly string[] | undefined): readonly string[] {
  return paths === undefined ? [] : typeof paths === 'string' ? [paths] : paths
}
