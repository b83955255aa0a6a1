/** What the readers of a plugin's parts share: its manifest, a list of what is broken, and its JSON files. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { PluginManifest } from '../../../schemas/plugin.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { parseJson, readText, tryParseJson } from '../../base/json/json.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'

export interface PluginReading {
  root: string
  manifest: PluginManifest
  /** Filled with what is broken, one line each. */
  problems: string[]
  warnings: string[]
  links: SkillLinks | undefined
}

/** The default file if it exists, then the sources that the manifest names: each with its name in messages, its path, and its value. */
export async function readJsonSources(
  { root, manifest, problems }: PluginReading,
  { key, usual }: { key: 'hooks' | 'mcpServers'; usual: string },
): Promise<{ file: string; value: unknown }[]> {
  const given = manifest[key]
  const named = given === undefined ? [] : Array.isArray(given) ? given : [given]
  const files = new Set((await pathExists(path.join(root, usual))) ? [usual] : [])
  const found: { file: string; value: unknown }[] = []
  for (const [at, source] of named.entries()) {
    if (typeof source === 'string') files.add(path.posix.normalize(source))
    else found.push({ file: `${manifestPath}: ${key}${named.length > 1 ? `[${at}]` : ''}`, value: source })
  }
  for (const file of files) {
    try {
      if (path.posix.isAbsolute(file) || file.startsWith('..')) throw new Error(`${file}: leads out of the plugin`)
      found.push({ file, value: parseJson(await readText(path.join(root, file)), file) })
    } catch (error) {
      problems.push(errorMessage(error).replaceAll(`${root}${path.sep}`, ''))
    }
  }
  return found
}

export const manifestPath = '.claude-plugin/plugin.json'

/** The plugin's folder, absolute; null: the folder (absolute) is in none. */
export function findPluginRoot(folder: string): string | null {
  if (existsSync(path.join(folder, manifestPath))) return folder
  const above = path.dirname(folder)
  return above === folder ? null : findPluginRoot(above)
}

/** The name that its manifest gives; the folder's if the manifest can't be read. */
export function readPluginName(root: string): string {
  const value = tryParseJson(readFileSync(path.join(root, manifestPath), 'utf8'))
  const isNamed = typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
  return isNamed ? String(value.name) : path.basename(root)
}

/** What the plugin has besides skills, judged by its folders and files; reads none of them. */
export function listOtherParts(root: string): string[] {
  const value = tryParseJson(readFileSync(path.join(root, manifestPath), 'utf8'))
  const manifest = typeof value === 'object' && value !== null ? value : {}
  const parts: readonly [name: string, place: string, key: string][] = [
    ['hooks', 'hooks/hooks.json', 'hooks'],
    ['MCP servers', '.mcp.json', 'mcpServers'],
    ['agents', 'agents', 'agents'],
    ['commands', 'commands', 'commands'],
  ]
  return parts.flatMap(([name, place, key]) => (existsSync(path.join(root, place)) || key in manifest ? name : []))
}
