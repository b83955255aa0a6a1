/** `triggers --all`: its flags. */
import { type Flags, onOff, text } from '../../cli/commands/options/flag.ts'
import type { CommandMode } from '../../cli/commands/options/modes.ts'

const allFlags = {
  all: { ...text, section: 'Common', describe: 'measure every skill of this folder against all others' },
  'full-grid': { ...onOff, describe: 'with --all: also run queries that are decided' },
} satisfies Flags

export const allTriggersMode: CommandMode = {
  flag: 'all',
  add: '--all FOLDER',
  flags: allFlags,
  usage: '$0 triggers --all <folder> [options]',
  examples: [['$0 triggers --all skills', 'find skills that take the queries of others']],
  start: async (parsed: never) => (await import('./start.ts')).startAll(parsed),
}
