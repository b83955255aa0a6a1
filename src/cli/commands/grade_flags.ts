/** The flags of `grade`. */
import type { Options } from 'yargs'
import { judgeFlags } from './judge_flags.ts'
import { sandboxFlags } from './sandbox_flags.ts'
import { wholeNumber } from './shared.ts'

export const gradeFlags = {
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'who grades: engine[:model] or a model, or a list of them; as planned if not given',
  },
  ...judgeFlags,
  'base-url': {
    type: 'string',
    requiresArg: true,
    describe: "where the judge's server is (a compatible server)",
  },
  case: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'only these cases: id, name or glob (repeatable)',
  },
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
  concurrency: {
    type: 'number',
    requiresArg: true,
    default: 4,
    coerce: wholeNumber('concurrency', 1, 1000),
    describe: 'gradings at once',
  },
  'print-config': {
    type: 'boolean',
    default: false,
    describe: 'print every setting and where it comes from (flag, whetstone.config.yaml, default), grade nothing',
  },
  'pass-env': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'environment variables that checks may see (repeatable)',
  },
  ...sandboxFlags,
} satisfies Record<string, Options>
