/** The flags of `grade`. */
import type { Options } from 'yargs'
import {
  caseFlag,
  concurrencyFlag,
  configFlags,
  judgeServerFlag,
  maxWaitFlag,
  passEnvFlag,
} from '../options/common_flags.ts'
import { gateFlags } from '../options/gate_flags.ts'
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
  ...configFlags('grade nothing'),
  ...passEnvFlag('checks'),
  ...sandboxFlags,
  ...gateFlags,
} satisfies Record<string, Options>

/** Of `--session`: what is graded, and by what. */
export const sessionFlags = {
  session: {
    type: 'string',
    requiresArg: true,
    describe: 'recorded session of an agent, or a folder of them, in place of a benchmark',
  },
  suite: {
    type: 'string',
    requiresArg: true,
    describe: 'cases of --session: each session gets the case with its first message',
  },
  expect: {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'a statement that must hold in each session without a case',
  },
  skill: {
    type: 'string',
    requiresArg: true,
    describe: 'skill: compares sessions that had it with those that did not',
  },
  files: {
    type: 'string',
    requiresArg: true,
    describe: 'folder as the session left it, for checks on files (one session)',
  },
  workspace: {
    type: 'string',
    requiresArg: true,
    defaultDescription: './workspaces/<skill>',
    describe: 'where --session writes its results',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    describe: 'show which sessions would be graded, and grade nothing',
  },
} satisfies Record<string, Options>
