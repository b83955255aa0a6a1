/** The help of the program without a command. */

import { findNearest } from '../../base/text/did_you_mean.ts'
import { typedCommand } from '../../base/typed_command.ts'
import { exitHelp } from '../exit_codes.ts'
import { alignColumns } from '../terminal/style.ts'
import { commandGroups, commandNames } from './command_groups.ts'
import { docsAddress } from './installed_text.ts'

export function rootHelp(): string {
  const all = Object.values(commandGroups).flatMap((group) =>
    Object.entries(group).map(([name, [args, summary]]) => [`  ${name} ${args}`.trimEnd(), summary]),
  )
  const lines = alignColumns(all)
  const sections = Object.entries(commandGroups).map(([title, group]) =>
    [`${title}:`, ...lines.splice(0, Object.keys(group).length)].join('\n'),
  )
  return [
    'Benchmark agent skills: does a skill help, and how can you improve it?',
    `${typedCommand()} <command> [options]`,
    ...sections,
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
