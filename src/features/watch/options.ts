/** The flags of `watch`. */
import { benchFlags } from '../../cli/commands/bench/options.ts'
import { skillRunFlags } from '../../cli/commands/bench/run_settings.ts'
import { judgeFlags } from '../../cli/commands/options/common_flags.ts'
import { type Flags, free, onOff, percentage, whole } from '../../cli/commands/options/flag.ts'

export const watchFlags = {
  ...skillRunFlags,
  'runs-per-night': {
    ...whole('runs-per-night', 1, 10_000),
    default: 12,
    section: 'Common',
    trust: free,
    describe: 'fresh runs of one call; cases take turns',
  },
  'baseline-runs': {
    ...whole('baseline-runs', 1, 10_000),
    default: 20,
    section: 'Common',
    trust: free,
    describe: 'runs per case of the baseline (the first call)',
  },
  'quiet-nights': {
    ...whole('quiet-nights', 10, 1e6),
    defaultDescription: '730',
    trust: free,
    describe: 'at most one false alarm is expected in so many nights',
  },
  detect: {
    ...percentage('detect', 'points', 1, 100),
    defaultDescription: '15',
    section: 'Planning',
    describe: 'size of the fall to find soonest, in points',
  },
  rebaseline: { ...onOff, section: 'Common', describe: 'run a new baseline after a known change' },
  dismiss: {
    type: 'string',
    requiresArg: true,
    choices: ['false', 'fixed'] as const,
    section: 'Common',
    describe: 'end an alarm: it was false, or the cause is fixed',
  },
  status: { ...onOff, section: 'Common', describe: 'print the nights so far, run nothing' },
  activation: benchFlags.activation,
  'judge-samples': judgeFlags['judge-samples'],
  'judge-effort': judgeFlags['judge-effort'],
  'require-evidence': judgeFlags['require-evidence'],
  'dry-run': { ...benchFlags['dry-run'], describe: 'print cost per night and month, run nothing' },
} satisfies Flags
