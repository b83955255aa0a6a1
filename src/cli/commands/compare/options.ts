/** The flags of `compare`. */
import type { Options } from 'yargs'
import {
  askNobodyFlag,
  caseFlag,
  concurrencyFlag,
  configFlags,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
  seedFlag,
} from '../options/common_flags.ts'
import { pricesFlag } from '../options/limit_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const compareFlags = {
  a: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the candidate',
    describe: 'side whose wins are counted',
  },
  b: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'the baseline, or the candidate of the other benchmark',
    describe: 'other side',
  },
  pairs: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('pairs', 1, 10_000)(value)),
    defaultDescription: 'all, 1 to analyze',
    describe: 'most pairs per case, drawn at random',
  },
  ...caseFlag,
  judge: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'judge of the benchmark',
    describe: 'judge: engine[:model] or a model',
  },
  ...judgeServerFlag,
  ...pricesFlag,
  ...seedFlag('the pairs and which side is shown first'),
  analyze: {
    type: 'boolean',
    default: false,
    describe: 'why did winners win? writes analysis.json',
  },
  only: {
    choices: ['comparisons', 'notes'] as const,
    implies: 'analyze',
    defaultDescription: 'both',
    describe: 'analyze only these',
  },
  again: { type: 'boolean', default: false, describe: 'ask again what this judge already answered' },
  ...concurrencyFlag('pairs'),
  ...maxWaitFlag,
  output: { type: 'string', requiresArg: true, describe: 'with two folders: folder for the verdicts' },
  prompt: {
    type: 'string',
    requiresArg: true,
    describe: 'with two folders: the task, if eval_metadata.json is missing',
  },
  ...askNobodyFlag,
  ...configFlags('compare nothing'),
  ...passEnvFlag('a judge command'),
  ...sandboxFlags,
} satisfies Record<string, Options>
