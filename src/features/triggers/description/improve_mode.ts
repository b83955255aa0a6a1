/** `improve --description`: its flags. */
import { type Flags, free, onOff, whole } from '../../../cli/commands/options/flag.ts'
import type { CommandMode } from '../../../cli/commands/options/modes.ts'
import { askingFlags } from '../options.ts'

const { set, among, threshold } = askingFlags

export const usualDescriptionRuns = 5

export const descriptionFlags = {
  description: { ...onOff, describe: 'improve only the description, by trigger queries' },
  set: { ...set, section: undefined, trust: undefined, describe: 'with --description: file with the queries (JSON)' },
  among: { ...among, section: undefined, describe: 'with --description: other installed skills (repeatable)' },
  iterations: {
    ...whole('iterations', 1, 100),
    default: 5,
    trust: free,
    describe: 'with --description: most proposals',
  },
  runs: {
    ...whole('runs', 2, 1000),
    defaultDescription: String(usualDescriptionRuns),
    trust: free,
    describe: 'with --description: runs per query',
  },
  'test-runs': {
    ...whole('test-runs', 2, 1000),
    defaultDescription: 'as --runs',
    trust: free,
    describe: 'with --description: runs per test query',
  },
  threshold: { ...threshold, describe: 'with --description: share of runs that counts as triggered' },
} satisfies Flags

export const descriptionMode: CommandMode = {
  flag: 'description',
  add: '--description',
  flags: descriptionFlags,
  examples: [],
  instead: { runs: '--total-runs limits the runs of a session' },
  start: async (parsed: never) => (await import('./start.ts')).startDescription(parsed),
}
