/** The flags of `grade`. */
import { commonFlags, concurrencyFlag, configFlags, judgeFlags, passEnvFlag } from '../options/common_flags.ts'
import { type Flags, free, modelName, onOff, text, whole } from '../options/flag.ts'
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
