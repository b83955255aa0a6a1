/** Adapts messages to how Whetstone is installed: pages of the documentation that the package leaves out become addresses, commands get npx. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { packageRoot, readOwnPackage } from '../../base/package_root.ts'
import { typedCommand } from '../../base/typed_command.ts'
import { commandNames } from './command_groups.ts'

const page = /(?<![\w/.])docs\/(?:reference|how-to|explanation|tutorial)\/[\w/-]+\.md/g

/** A command in a text; not a path, a package, or what follows npx already. */
const named = new RegExp(
  String.raw`(?<![\w@/.:-]|npx (?:-y )?|-- )whetstone(?= (?:(?:${commandNames.join('|')})\b|<command>|--help))`,
  'g',
)

/** The web page of the documentation of this version. */
export function docsAddress(): string {
  const { homepage, version } = readOwnPackage()
  return `${homepage.replace(/#.*$/, '')}/blob/v${version}`
}

/** "see docs/reference/checks.md, or run whetstone check" as the user can open and type it. */
export function adaptText(text: string): string {
  const adapted = nameCommands(text)
  if (existsSync(path.join(packageRoot(), 'docs'))) return adapted
  return adapted.replaceAll(page, (file) => `${docsAddress()}/${file}`)
}

/** The text with each `whetstone bench …` as the user can type it. */
export function nameCommands(text: string, program?: string): string {
  const typed = typedCommand(program)
  return typed === 'whetstone' ? text : text.replaceAll(named, typed)
}
