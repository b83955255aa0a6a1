/** Further pages of `whetstone view`: two benchmarks side by side, or all below a folder over time. */
import { type Flags, onOff } from '../../cli/commands/options/flag.ts'
import type { CommandMode } from '../../cli/commands/options/modes.ts'

export const viewTwoFlags = {
  compare: { type: 'string', array: true, requiresArg: true, describe: 'show two benchmarks side by side' },
} satisfies Flags

export const viewTwoMode: CommandMode = {
  flag: 'compare',
  add: '--compare A B',
  flags: viewTwoFlags,
  about: '--compare A B writes comparisons/<A>-vs-<B>/report.html and changes neither benchmark.',
  examples: [['$0 view --compare ws/benchmarks/2026-01-15T10-30-00Z ws', 'compare an older benchmark with the newest']],
  start: async (parsed: never) => (await import('./view_pages.ts')).viewTwo(parsed),
}

export const viewTrendMode: CommandMode = {
  flag: 'trend',
  add: '--trend',
  flags: { trend: { ...onOff, describe: 'show all benchmarks below the folder over time' } },
  examples: [['$0 view workspaces/pdf --trend', 'show all its benchmarks over time, with cost per month']],
  start: async (parsed: never) => (await import('./view_pages.ts')).viewTrend(parsed),
}
