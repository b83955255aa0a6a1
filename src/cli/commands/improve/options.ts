/** The flags of `improve`. */
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import { benchFlags } from '../bench/options.ts'
import { allowInvalidFlag, printConfigFlag } from '../options/common_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { limitFlags } from '../options/limit_flags.ts'
import { queueFlags } from '../options/queue_flags.ts'
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
    describe: 'proposals at most; the error of the session is shared among them',
  },
  runs: {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('runs', 2, 1000),
    describe:
      'runs of each validation case in each arm, at most: the gate ends sooner where it can; 5 if not given, in a small suite up to 20',
  },
  'train-runs': {
    type: 'number',
    requiresArg: true,
    default: 4,
    coerce: wholeNumber('train-runs', 1, 1000),
    describe: 'runs of each training case that a candidate gets, at most; those of its parent are made once',
  },
  'test-runs': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('test-runs', 2, 1000),
    describe: 'runs of each test case in each arm, at the end; as --runs if not given',
  },
  proposer: {
    type: 'string',
    requiresArg: true,
    describe: 'who proposes: engine[:model] or a model; the engine of the runs if not given',
  },
  'propose-timeout': {
    type: 'number',
    requiresArg: true,
    default: 900,
    coerce: wholeNumber('propose-timeout', 1, 86_400),
    describe: 'seconds for one proposal',
  },
  'max-cost-increase': {
    type: 'number',
    requiresArg: true,
    default: 25,
    coerce: share('max-cost-increase'),
    describe: 'per cent that a better version may cost more',
  },
  'max-time-increase': {
    type: 'number',
    requiresArg: true,
    default: 25,
    coerce: share('max-time-increase'),
    describe: 'per cent that it may take longer',
  },
  seed: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('seed', 0, 2 ** 31),
    describe: 'draws which cases train, validate and test',
  },
  apply: {
    type: 'boolean',
    default: false,
    describe:
      'at the end put the best version in place of the skill: shows the diff, asks on a terminal, keeps a backup',
  },
  resume: {
    type: 'boolean',
    default: false,
    describe: 'go on with the session in the workspace, or apply what it found',
  },
  review: {
    type: 'boolean',
    default: false,
    describe: 'after each iteration show the page and wait for feedback.json',
  },
  'grow-suite': {
    type: 'boolean',
    default: false,
    describe:
      'have the proposer draft the cases that the suite lacks for three parts, into <suite>.grown.json; runs nothing, and no draft is used before you have reviewed it',
  },
  'use-drafts': {
    type: 'boolean',
    default: false,
    describe: 'judge by cases, too, that a model drafted and nobody has reviewed',
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
    throw new UserError(`--${flag}: not per cent from 0 to 1000`)
  }
}
