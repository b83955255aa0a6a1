/** Lists the parts of a plugin that no run gets, so that nothing is left out in silence. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../../base/fs/files.ts'
import { manifestPath } from './find_plugin.ts'
import type { PluginReading } from './plugin_reading.ts'

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

/** One sentence for each part. */
export async function listUnusedParts({ root, manifest }: PluginReading): Promise<string[]> {
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
