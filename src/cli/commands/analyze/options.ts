/** The flags of `analyze`. */
import type { Options } from 'yargs'
import {
  askNobodyFlag,
  caseFlag,
  concurrencyFlag,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
  printConfigFlag,
} from '../options/common_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const analyzeFlags = {
  ...caseFlag,
  pairs: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('pairs', 1, 10_000),
    describe: 'comparisons a case at most, the first that have a winner',
  },
  only: { choices: ['comparisons', 'notes'] as const, describe: 'only the one or the other; both if not given' },
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who analyzes: engine[:model] or a model; the judge of the benchmark if not given',
  },
  ...judgeServerFlag,
  again: { type: 'boolean', default: false, describe: 'analyze even what this model has analyzed already' },
  ...concurrencyFlag('analyses'),
  ...maxWaitFlag,
  ...askNobodyFlag,
  ...printConfigFlag('analyze nothing'),
  ...passEnvFlag('a judge command'),
  ...sandboxFlags,
} satisfies Record<string, Options>
