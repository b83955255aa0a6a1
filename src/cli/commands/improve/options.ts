/** The flags of `improve`. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { allowInvalidFlag, printConfigFlag } from '../options/common_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
import { refuseForm } from '../options/refused_value.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'
import { descriptionFlags } from './description_options.ts'

const { engine, model, judge, suite, concurrency, timeout, retries, activation, workspace } = benchFlags
const shared = {
  engine,
  model,
  judge,
  suite,
  ...allowInvalidFlag,
  concurrency,
  timeout,
  retries,
  activation,
  workspace,
}

export const improveFlags = {
  iterations: {
    type: 'number',
    requiresArg: true,
    default: 5,
    coerce: wholeNumber('iterations', 1, 100),
    describe: 'most proposals',
  },
  runs: {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('runs', 2, 1000),
    defaultDescription: '5; more in a small suite',
    describe: 'most runs per validation case and version',
  },
  'train-runs': {
    type: 'number',
    requiresArg: true,
    default: 4,
    coerce: wholeNumber('train-runs', 1, 1000),
    describe: 'most runs per training case',
  },
  'test-runs': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('test-runs', 2, 1000),
    defaultDescription: 'as --runs',
    describe: 'runs per test case and version',
  },
  proposer: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the engine',
    describe: 'proposer: engine[:model] or a model',
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
  seed: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('seed', 0, 2 ** 31),
    describe: 'seed of the split into train, validation and test',
  },
  apply: {
    type: 'boolean',
    default: false,
    describe: 'replace the skill by the best version (with a backup)',
  },
  resume: {
    type: 'boolean',
    default: false,
    describe: 'resume the session in the workspace',
  },
  review: {
    type: 'boolean',
    default: false,
    describe: 'pause for your feedback after each iteration',
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
  ...shared,
  'max-turns': benchFlags['max-turns'],
  'base-url': benchFlags['base-url'],
  'idle-timeout': benchFlags['idle-timeout'],
  'on-timeout': benchFlags['on-timeout'],
  'pass-env': benchFlags['pass-env'],
  ...judgeFlags,
  ...sandboxFlags,
  ...queueFlags,
  budget: limitFlags.budget,
  'budget-tokens': limitFlags['budget-tokens'],
  'cost-per-run': limitFlags['cost-per-run'],
  deadline: limitFlags.deadline,
  'max-wait': benchFlags['max-wait'],
  yes: limitFlags.yes,
  ...printConfigFlag('run nothing'),
} satisfies Record<string, Options>

function share(flag: string) {
  return (value: unknown): number => {
    if (typeof value === 'number' && value >= 0 && value <= 1000) return value / 100
    throw refuseForm(flag, 'per cent from 0 to 1000', `use a number such as --${flag} 20`)
  }
}
