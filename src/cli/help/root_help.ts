/** The help of the program without a command. */

import { findNearest } from '../../base/text/did_you_mean.ts'
import { typedCommand } from '../../base/typed_command.ts'
import { exitHelp } from '../exit_codes.ts'
import { alignColumns } from '../terminal/style.ts'
import { advancedGroup, commandGroups, commandNames } from './command_groups.ts'
import { docsAddress } from './installed_text.ts'

/** The commands that few need. */
export function advancedHelp(): string {
  return describeGroups((title) => title === advancedGroup).join('\n\n')
}

function describeGroups(isShown: (title: string) => boolean): string[] {
  const groups = Object.entries(commandGroups).filter(([title]) => isShown(title))
  const all = groups.flatMap(([, group]) =>
    Object.entries(group).map(([name, [args, summary]]) => [`  ${name} ${args}`.trimEnd(), summary]),
  )
  const lines = alignColumns(all)
  return groups.map(([title, group]) => [`${title}:`, ...lines.splice(0, Object.keys(group).length)].join('\n'))
}

export function rootHelp(): string {
  const sections = describeGroups((title) => title !== advancedGroup)
  return [
    'Benchmark agent skills: does a skill help, and how can you improve it?',
    `${typedCommand()} <command> [options]`,
    ...sections,
    `More commands: ${typedCommand()} help advanced`,
    'Options:\n  -h, --help      Show help; after a command: that of the command\n      --help-all  With a command: show all of its options\n      --version   Show the version',
    exitHelp,
    `Documentation:\n  ${docsAddress()}/docs/README.md`,
    `New here? \`${typedCommand()} demo\` runs a whole benchmark offline, no key needed.`,
  ].join('\n\n')
}

/** The command that a mistyped word may be; null: none is near. */
export function findNearCommand(word: string): string | null {
  return findNearest(word, commandNames, 1)[0] ?? null
}
