/** The flags of `grade`. */
import { commonFlags, concurrencyFlag, configFlags, judgeFlags, passEnvFlag } from '../options/common_flags.ts'
import { type Flags, free, list, modelName, onOff, text, whole } from '../options/flag.ts'
import { gateFlags } from '../options/gate_flags.ts'
import { pricesFlag } from '../options/limit_flags.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const gradeFlags = {
  judge: {
    ...text,
    defaultDescription: 'as planned',
    section: 'Common',
    trust: modelName,
    describe: 'judge: engine[:model], a model, or a list of them',
  },
  ...judgeFlags,
  'base-url': commonFlags['base-url'],
  ...pricesFlag,
  case: commonFlags.case,
  anew: { ...onOff, section: 'Common', describe: 'grade again what this judge already graded' },
  cache: {
    type: 'boolean',
    default: true,
    section: 'Cache and resume',
    trust: free,
    describe: 'reuse and store answers of the judge',
  },
  again: {
    ...whole('again', 0, 100),
    default: 0,
    section: 'Common',
    describe: 'extra gradings per run, to measure the noise of the judge',
  },
  ...concurrencyFlag('gradings'),
  'max-wait': commonFlags['max-wait'],
  ...configFlags('grade nothing'),
  ...passEnvFlag('checks'),
  ...sandboxFlags,
  ...gateFlags,
} satisfies Flags

/** Of `--session`: what is graded, and by what. */
export const sessionFlags = {
  session: {
    ...text,
    section: 'Sessions',
    describe: 'recorded session of an agent, or a folder of them, in place of a benchmark',
  },
  suite: { ...text, describe: 'cases of --session: each session gets the case with its first message' },
  expect: { ...list, section: 'Sessions', describe: 'a statement that must hold in each session without a case' },
  skill: { ...text, describe: 'skill: compares sessions that had it with those that did not' },
  files: { ...text, section: 'Sessions', describe: 'folder as the session left it, for checks on files (one session)' },
  workspace: {
    ...text,
    defaultDescription: './workspaces/<skill>',
    section: 'Output and CI',
    describe: 'where --session writes its results',
  },
  'dry-run': { ...onOff, section: 'Common', describe: 'show which sessions would be graded, and grade nothing' },
} satisfies Flags
