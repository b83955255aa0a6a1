/** Finds the plugin that a folder belongs to: the nearest folder above with `.claude-plugin/plugin.json`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { tryParseJson } from '../../../base/json/json.ts'

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
