/** The flags of `compare`. */
import type { Options } from 'yargs'
import { sandboxFlags } from './sandbox_flags.ts'
import { wholeNumber } from './shared.ts'

export const compareFlags = {
  a: { type: 'string', requiresArg: true, describe: 'one side, whose wins are counted; the candidate if not given' },
  b: { type: 'string', requiresArg: true, describe: 'the other; the baseline (of another benchmark its candidate)' },
  pairs: {
    type: 'number',
    requiresArg: true,
    coerce: (value: unknown) => (value === undefined ? undefined : wholeNumber('pairs', 1, 10_000)(value)),
    describe: 'pairs a case at most, drawn by the seed; all if not given',
  },
  case: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'only these cases: id, name or glob (repeatable)',
  },
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who compares: engine[:model] or a model; the judge of the benchmark if not given',
  },
  'base-url': { type: 'string', requiresArg: true, describe: "where the judge's server is (a compatible server)" },
  seed: {
    type: 'number',
    requiresArg: true,
    default: 1,
    coerce: wholeNumber('seed', 0, 2 ** 31),
    describe: 'draws the pairs and which side is shown first',
  },
  again: { type: 'boolean', default: false, describe: 'compare even what this judge has compared already' },
  concurrency: {
    type: 'number',
    requiresArg: true,
    default: 4,
    coerce: wholeNumber('concurrency', 1, 1000),
    describe: 'pairs at once',
  },
  output: { type: 'string', requiresArg: true, describe: 'of two folders: where the verdicts go' },
  prompt: {
    type: 'string',
    requiresArg: true,
    describe: 'of two folders: the task, where no eval_metadata.json says it',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'say what would be asked, and ask nobody' },
  'pass-env': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'environment variables that a judge command may see (repeatable)',
  },
  ...sandboxFlags,
} satisfies Record<string, Options>
