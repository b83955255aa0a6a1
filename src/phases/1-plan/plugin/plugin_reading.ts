/** What the readers of a plugin's parts share: its manifest, a list of what is broken, and its JSON files. */
import path from 'node:path'
import type { PluginManifest } from '../../../../schemas/plugin.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { parseJson, readText } from '../../../base/json/json.ts'
import type { SkillLinks } from '../skill/skill_links.ts'
import { manifestPath } from './find_plugin.ts'

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
