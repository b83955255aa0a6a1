/** The flags of `watch`. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { refuseForm } from '../options/refused_value.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

const { engine, model, judge, user, suite, concurrency, timeout, retries, activation, workspace, links } = benchFlags

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
  ...{ engine, model, judge, user, suite, concurrency, timeout, retries, activation, workspace, links },
  'allow-invalid': benchFlags['allow-invalid'],
  'max-turns': benchFlags['max-turns'],
  effort: benchFlags.effort,
  'base-url': benchFlags['base-url'],
  'skills-folder': benchFlags['skills-folder'],
  'idle-timeout': benchFlags['idle-timeout'],
  'on-timeout': benchFlags['on-timeout'],
  'pass-env': benchFlags['pass-env'],
  'judge-samples': judgeFlags['judge-samples'],
  'judge-effort': judgeFlags['judge-effort'],
  'require-evidence': judgeFlags['require-evidence'],
  ...sandboxFlags,
  budget: limitFlags.budget,
  'budget-tokens': limitFlags['budget-tokens'],
  'cost-per-run': limitFlags['cost-per-run'],
  prices: limitFlags.prices,
  deadline: limitFlags.deadline,
  'max-wait': benchFlags['max-wait'],
  'print-config': benchFlags['print-config'],
  'dry-run': { ...benchFlags['dry-run'], describe: 'print cost per night and month, run nothing' },
} satisfies Record<string, Options>

function points(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 1 && value <= 100) return value / 100
    throw refuseForm(flag, 'points from 1 to 100', `use a number such as --${flag} 15`)
  }
}
