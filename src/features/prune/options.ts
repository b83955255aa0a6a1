/** The flags of `prune`. */
import type { Options } from 'yargs'
import { benchFlags } from '../../cli/commands/bench/options.ts'
import { skillRunFlags } from '../../cli/commands/bench/run_settings.ts'
import { improveFlags } from '../../cli/commands/improve/options.ts'
import { judgeFlags } from '../../cli/commands/options/judge_flags.ts'
import { limitFlags } from '../../cli/commands/options/limit_flags.ts'
import { queueFlags } from '../../cli/commands/options/queue_flags.ts'
import { refuseForm } from '../../cli/commands/options/refused_value.ts'
import { wholeNumber } from '../../cli/commands/options/run_flow.ts'

export const pruneFlags = {
  protect: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    defaultDescription: 'none',
    describe: 'never leave out units with this text (repeatable)',
  },
  detect: {
    type: 'number',
    requiresArg: true,
    default: 20,
    coerce: points('detect'),
    describe: 'points that a unit must be worth to be kept for sure',
  },
  margin: {
    type: 'number',
    requiresArg: true,
    default: 5,
    coerce: points('margin'),
    describe: 'points that the shorter skill may lose at most',
  },
  'screening-runs': {
    type: 'number',
    requiresArg: true,
    defaultDescription: 'by --detect',
    coerce: wholeNumber('screening-runs', 1, 100_000),
    describe: 'runs on training cases, each without half of the units',
  },
  'certify-runs': {
    type: 'number',
    requiresArg: true,
    defaultDescription: 'by --margin',
    coerce: wholeNumber('certify-runs', 1, 100_000),
    describe: 'most runs on held-out cases, half with the shorter skill',
  },
  seed: improveFlags.seed,
  apply: { ...improveFlags.apply, describe: 'replace the skill by the shorter one, if it is kept' },
  'use-drafts': improveFlags['use-drafts'],
  'dry-run': { ...benchFlags['dry-run'], describe: 'print units, runs and dollars; run nothing' },
  ...skillRunFlags,
  activation: improveFlags.activation,
  ...judgeFlags,
  ...queueFlags,
  yes: limitFlags.yes,
} satisfies Record<string, Options>

/** Percentage points, as a share. */
function points(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 1 && value <= 90) return value / 100
    throw refuseForm(flag, 'points from 1 to 90', `use a number such as --${flag} 10`)
  }
}
