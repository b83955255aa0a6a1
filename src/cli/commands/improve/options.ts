/** The flags of `improve`. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { skillRunFlags } from '../bench/run_settings.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { refuseForm } from '../options/refused_value.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { descriptionFlags } from './description_options.ts'

export const improveFlags = {
  'total-runs': {
    type: 'number',
    requiresArg: true,
    default: 250,
    coerce: wholeNumber('total-runs', 1, 100_000),
    describe: 'most agent runs: half search, half certify',
  },
  goal: {
    type: 'string',
    choices: ['better', 'cheaper'] as const,
    default: 'better' as const,
    describe: 'better results, or the same with fewer tokens',
  },
  proposer: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the engine',
    describe: 'proposer: engine[:model] or a model',
  },
  'certify-judge': {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'other family',
    describe: 'final judge (none: checks)',
  },
  'confirm-on': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    defaultDescription: 'none',
    describe: 'engine[:model] on which to repeat a win (repeatable)',
  },
  'propose-timeout': {
    type: 'number',
    requiresArg: true,
    default: 900,
    coerce: wholeNumber('propose-timeout', 1, 86_400),
    describe: 'seconds per proposal',
  },
  'max-cost-increase': {
    type: 'number',
    requiresArg: true,
    default: 25,
    coerce: share('max-cost-increase'),
    describe: 'most additional cost of a better version, in %',
  },
  'max-time-increase': {
    type: 'number',
    requiresArg: true,
    default: 25,
    coerce: share('max-time-increase'),
    describe: 'most additional time of a better version, in %',
  },
  'max-loss': {
    type: 'number',
    requiresArg: true,
    default: 10,
    coerce: share('max-loss'),
    describe: 'goal cheaper: largest loss that counts as equal, in points',
  },
  seed: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('seed', 0, 2 ** 31),
    describe: 'seed of the split into training and held-out cases',
  },
  apply: {
    type: 'boolean',
    default: false,
    describe: 'replace the skill by the best version',
  },
  branch: {
    type: 'string',
    requiresArg: true,
    describe: 'commit the best version to a new git branch of this name',
  },
  'dry-run': { ...benchFlags['dry-run'], describe: 'print cost, time, chances; run nothing' },
  resume: {
    type: 'boolean',
    default: false,
    describe: 'resume the session in the workspace',
  },
  review: {
    type: 'boolean',
    default: false,
    describe: 'pause for your feedback after each round',
  },
  'grow-suite': {
    type: 'boolean',
    default: false,
    describe: 'draft the missing cases into <suite>.grown.json',
  },
  'use-drafts': {
    type: 'boolean',
    default: false,
    describe: 'also use drafted cases without a review',
  },
  ...descriptionFlags,
  ...skillRunFlags,
  activation: {
    ...benchFlags.activation,
    choices: ['natural', 'instructed'] as const,
    describe: 'whether the prompt names the skill (instructed)',
  },
  ...judgeFlags,
  ...queueFlags,
  yes: limitFlags.yes,
} satisfies Record<string, Options>

function share(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 0 && value <= 1000) return value / 100
    throw refuseForm(flag, 'per cent from 0 to 1000', `use a number such as --${flag} 20`)
  }
}
