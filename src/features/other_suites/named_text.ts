/** Reads a text of a suite that may be written in a file of its own. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { readText } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import type { NamedItem } from './read_fields.ts'

/** Returns the content of the file if the text is the path of one below `base`; else the text itself. */
export async function readNamedText(text: string, base: string): Promise<string> {
  return (await readNamedFile(text.trim(), base)) ?? text
}

/** Returns the content of a file; null: there is none inside of `limit`, which is `base` itself if absent. Bytes: at most 1 MiB. */
export async function readNamedFile(name: string, base: string, limit = base): Promise<string | null> {
  if (name === '' || name.length > 300 || /[\n\0]/.test(name)) return null
  const file = path.resolve(base, name)
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > 1024 * 1024 || !isInsideFolder(limit, file)) return null
  return readText(file)
}

/** The document of a file below `base` as a case. */
export async function readYamlCase(name: string, base: string): Promise<NamedItem> {
  const at = `${name} $`
  const text = await readNamedFile(name, base)
  if (text === null) return { value: null, at, broken: `${name}: no such text file of at most 1 MiB` }
  const yaml = readYaml(text.replace(/^\uFEFF/, ''))
  return yaml.ok ? { value: yaml.value, at } : { value: null, at, broken: `${name}:${yaml.at.line}: ${yaml.message}` }
}

/** Names of files, relative to `base`: those that a pattern such as `tests/*.yaml` finds, sorted; a name without a pattern stays. */
export async function expandPattern(name: string, base: string): Promise<string[]> {
  if (!/[*?[\]{}]/.test(name) || path.isAbsolute(name)) return [name]
  return (await glob(name, { cwd: base, ignore: ['**/node_modules/**'] })).sort()
}

/**
 * Folders below `base` that a shell command names a file of, relative to it: a grader has its modules next to it. `taken`: places that
 * the agent works on, which a command means as the agent left them.
 */
export async function findNamedFolders(command: string, base: string, taken: readonly string[]): Promise<string[]> {
  const words = command.split(/[\s;&|()<>"'`=]+/).map((word) => word.replace(/^(?:\.\/)+/, ''))
  const tops = new Set(taken.map((place) => place.split('/')[0]))
  const found = new Set<string>()
  for (const word of words.filter((one) => /^[\w@.-]+(?:\/[\w@.-]+)+$/.test(one))) {
    const [top = ''] = word.split('/')
    const file = path.join(base, word)
    const info = tops.has(top) ? null : await stat(file).catch(() => null)
    if (info?.isFile() && isInsideFolder(base, file)) found.add(top)
  }
  return [...found]
}

/** The folder whose files a suite may name: that of its skill if the suite is in it, else its own. */
export function findLimit(base: string, root: string): string {
  return isInsideFolder(root, base) ? root : base
}
