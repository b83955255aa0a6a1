/** The flags of `compare`. */
import type { Options } from 'yargs'
import {
  askNobodyFlag,
  caseFlag,
  concurrencyFlag,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
  printConfigFlag,
  seedFlag,
} from '../options/common_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const compareFlags = {
  a: { type: 'string', requiresArg: true, describe: 'one side, whose wins are counted; the candidate if not given' },
  b: { type: 'string', requiresArg: true, describe: 'the other; the baseline (of another benchmark its candidate)' },
  pairs: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('pairs', 1, 10_000)(value)),
    describe: 'pairs a case at most, drawn by the seed; all if not given',
  },
  ...caseFlag,
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who compares: engine[:model] or a model; the judge of the benchmark if not given',
  },
  ...judgeServerFlag,
  ...seedFlag('the pairs and which side is shown first'),
  again: { type: 'boolean', default: false, describe: 'compare even what this judge has compared already' },
  ...concurrencyFlag('pairs'),
  ...maxWaitFlag,
  output: { type: 'string', requiresArg: true, describe: 'of two folders: where the verdicts go' },
  prompt: {
    type: 'string',
    requiresArg: true,
    describe: 'of two folders: the task, where no eval_metadata.json says it',
  },
  ...askNobodyFlag,
  ...printConfigFlag('compare nothing'),
  ...passEnvFlag('a judge command'),
  ...sandboxFlags,
} satisfies Record<string, Options>
