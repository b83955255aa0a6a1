/** Names configuration files that look as if they applied and do not: another name, a folder that is not searched, or a nearer file. */
import path from 'node:path'
import { toSafeLine } from '../terminal/style.ts'
import { configNames, isThere, searchedFolders } from './find_config.ts'

/** Names that other tools use; each is tested, because a folder may have a hundred thousand files. */
const otherNames = [
  ...['.whetstonerc', '.whetstonerc.yaml', '.whetstonerc.yml', '.whetstonerc.json'],
  ...['whetstone.yaml', 'whetstone.yml', 'whetstone.json', '.whetstone.yaml', '.whetstone.yml', '.whetstone.json'],
  ...['whetstone.config.js', 'whetstone.config.mjs', 'whetstone.config.ts', 'whetstone.config.toml'],
]

const named = new Set<string>()

/** Call before each command line: each file is named once. */
export function forgetUnusedConfigs(): void {
  named.clear()
}

interface Search {
  start: string
  home: string | undefined
  /** The files that apply, the nearest first. */
  used: readonly string[]
}

/** A line for each file, with why it is not read. */
export async function unusedConfigLines({ start, home, used }: Search): Promise<string[]> {
  const folders = await searchedFolders(start, home)
  const here = process.cwd()
  const elsewhere = folders.includes(here) ? [] : inFolder(here, configNames)
  const reasons: [files: string[], reason: string][] = [
    [
      [...new Set([...folders, here])].flatMap((one) => inFolder(one, otherNames)),
      'rename it to whetstone.config.yaml',
    ],
    [folders.flatMap((one) => inFolder(one, configNames)), `${shown(used[0] ?? '')} is nearer`],
    [elsewhere, `only ${shown(folders[0] ?? start)} and the folders above it are searched`],
  ]
  const lines = reasons.flatMap(([files, reason]) =>
    files.flatMap((file) => (used.includes(file) || named.has(file) ? [] : [{ file, reason }])),
  )
  for (const { file } of lines) named.add(file)
  return lines.map(({ file, reason }) => toSafeLine(`warning: configuration file not read: ${shown(file)} (${reason})`))
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(folder, name)).filter(isThere)
}

function shown(file: string): string {
  return path.relative(process.cwd(), file) || '.'
}
