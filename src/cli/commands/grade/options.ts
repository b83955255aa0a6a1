/** The flags of `grade`. */
import type { Options } from 'yargs'
import {
  caseFlag,
  concurrencyFlag,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
  printConfigFlag,
} from '../options/common_flags.ts'
import { judgeFlags } from '../options/judge_flags.ts'
import { pricesFlag } from '../options/limit_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const gradeFlags = {
  judge: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'as planned',
    describe: 'judge: engine[:model], a model, or a list of them',
  },
  ...judgeFlags,
  ...judgeServerFlag,
  ...pricesFlag,
  ...caseFlag,
  anew: {
    type: 'boolean',
    default: false,
    describe: 'grade again what this judge already graded',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: 'reuse and store answers of the judge',
  },
  again: {
    type: 'number',
    requiresArg: true,
    default: 0,
    coerce: wholeNumber('again', 0, 100),
    describe: 'extra gradings per run, to measure the noise of the judge',
  },
  ...concurrencyFlag('gradings'),
  ...maxWaitFlag,
  ...printConfigFlag('grade nothing'),
  ...passEnvFlag('checks'),
  ...sandboxFlags,
} satisfies Record<string, Options>
