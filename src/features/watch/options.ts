/** The flags of `watch`. */
import type { Options } from 'yargs'
import { benchFlags } from '../../cli/commands/bench/options.ts'
import { skillRunFlags } from '../../cli/commands/bench/run_settings.ts'
import { judgeFlags } from '../../cli/commands/options/judge_flags.ts'
import { refuseForm } from '../../cli/commands/options/refused_value.ts'
import { wholeNumber } from '../../cli/commands/options/run_flow.ts'

export const watchFlags = {
  'runs-per-night': {
    type: 'number',
    requiresArg: true,
    default: 12,
    coerce: wholeNumber('runs-per-night', 1, 10_000),
    describe: 'fresh runs of one call; cases take turns',
  },
  'baseline-runs': {
    type: 'number',
    requiresArg: true,
    default: 20,
    coerce: wholeNumber('baseline-runs', 1, 10_000),
    describe: 'runs per case of the baseline (the first call)',
  },
  'quiet-nights': {
    type: 'number',
    requiresArg: true,
    defaultDescription: '730',
    coerce: wholeNumber('quiet-nights', 10, 1e6),
    describe: 'at most one false alarm is expected in so many nights',
  },
  detect: {
    type: 'number',
    requiresArg: true,
    defaultDescription: '15',
    coerce: points('detect'),
    describe: 'size of the fall to find soonest, in points',
  },
  rebaseline: {
    type: 'boolean',
    default: false,
    describe: 'run a new baseline after a known change',
  },
  dismiss: {
    type: 'string',
    requiresArg: true,
    choices: ['false', 'fixed'] as const,
    describe: 'end an alarm: it was false, or the cause is fixed',
  },
  status: {
    type: 'boolean',
    default: false,
    describe: 'print the nights so far, run nothing',
  },
  ...skillRunFlags,
  activation: benchFlags.activation,
  'judge-samples': judgeFlags['judge-samples'],
  'judge-effort': judgeFlags['judge-effort'],
  'require-evidence': judgeFlags['require-evidence'],
  'dry-run': { ...benchFlags['dry-run'], describe: 'print cost per night and month, run nothing' },
} satisfies Record<string, Options>

function points(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 1 && value <= 100) return value / 100
    throw refuseForm(flag, 'points from 1 to 100', `use a number such as --${flag} 15`)
  }
}
