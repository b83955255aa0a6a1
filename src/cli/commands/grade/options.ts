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
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const gradeFlags = {
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who grades: engine[:model] or a model, or a list of them; as planned if not given',
  },
  ...judgeFlags,
  ...judgeServerFlag,
  ...caseFlag,
  anew: {
    type: 'boolean',
    default: false,
    describe: 'grade even what was graded with the same criteria and judge',
  },
  cache: {
    type: 'boolean',
    default: true,
    describe: "reuse a judge's answer to the same question, and keep new ones; --no-cache: neither",
  },
  again: {
    type: 'number',
    requiresArg: true,
    default: 0,
    coerce: wholeNumber('again', 0, 100),
    describe: 'grade each transcript so many times more, kept beside its grade: how much of the noise is the grading',
  },
  ...concurrencyFlag('gradings'),
  ...maxWaitFlag,
  ...printConfigFlag('grade nothing'),
  ...passEnvFlag('checks'),
  ...sandboxFlags,
} satisfies Record<string, Options>
