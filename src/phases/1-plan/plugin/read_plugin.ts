/** Reads a plugin: its manifest, and every part that it names or has in a default folder. Broken parts are all listed at once. */
import path from 'node:path'
import type { Hooks, McpServers } from '../../../../schemas/environment.ts'
import { pluginManifest } from '../../../../schemas/plugin.ts'
import type { InputFile, Skill } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { walk } from '../../../base/fs/files.ts'
import { checkAs, parseJson, readText } from '../../../base/json/json.ts'
import type { SkillLinks } from '../skill/skill_links.ts'
import { manifestPath } from './find_plugin.ts'
import { readPluginHooks } from './plugin_hooks.ts'
import type { PluginReading } from './plugin_reading.ts'
import { readPluginServers } from './plugin_servers.ts'
import { readMarkdownParts, readPluginSkills } from './plugin_texts.ts'
import { listUnusedParts } from './unused_parts.ts'

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
