/** The flags of `analyze`. */
import type { Options } from 'yargs'
import {
  askNobodyFlag,
  caseFlag,
  concurrencyFlag,
  configFlags,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
} from '../options/common_flags.ts'
import { pricesFlag } from '../options/limit_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const analyzeFlags = {
  ...caseFlag,
  pairs: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('pairs', 1, 10_000),
    describe: 'most comparisons per case, of those with a winner',
  },
  only: {
    choices: ['comparisons', 'notes'] as const,
    defaultDescription: 'both',
    describe: 'write only analyses of comparisons, or only notes',
  },
  judge: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'judge of the benchmark',
    describe: 'model that analyzes: engine[:model] or a model',
  },
  ...judgeServerFlag,
  ...pricesFlag,
  again: { type: 'boolean', default: false, describe: 'analyze again what this model already analyzed' },
  ...concurrencyFlag('analyses'),
  ...maxWaitFlag,
  ...askNobodyFlag,
  ...configFlags('analyze nothing'),
  ...passEnvFlag('a judge command'),
  ...sandboxFlags,
} satisfies Record<string, Options>
