/** The flags of `compare`. */
import {
  askNobodyFlag,
  commonFlags,
  concurrencyFlag,
  configFlags,
  passEnvFlag,
  seedFlag,
} from '../../cli/commands/options/common_flags.ts'
import { type Flags, free, modelName, onOff, text, whole } from '../../cli/commands/options/flag.ts'
import { pricesFlag } from '../../cli/commands/options/limit_flags.ts'
import { sandboxFlags } from '../../cli/commands/options/sandbox_flags.ts'

export const compareFlags = {
  a: { ...text, defaultDescription: 'the candidate', describe: 'side whose wins are counted' },
  b: { ...text, defaultDescription: 'the baseline, or the candidate of the other benchmark', describe: 'other side' },
  pairs: {
    ...whole('pairs', 1, 10_000),
    defaultDescription: 'all, 1 to analyze',
    trust: free,
    describe: 'most pairs per case, drawn at random',
  },
  case: commonFlags.case,
  judge: {
    ...text,
    defaultDescription: 'judge of the benchmark',
    section: 'Common',
    trust: modelName,
    describe: 'judge: engine[:model] or a model',
  },
  'base-url': commonFlags['base-url'],
  ...pricesFlag,
  ...seedFlag('the pairs and which side is shown first'),
  analyze: { ...onOff, describe: 'why did winners win? writes analysis.json' },
  only: {
    choices: ['comparisons', 'notes'] as const,
    implies: 'analyze',
    defaultDescription: 'both',
    describe: 'analyze only these',
  },
  again: { ...onOff, section: 'Common', describe: 'ask again what this judge already answered' },
  ...concurrencyFlag('pairs'),
  'max-wait': commonFlags['max-wait'],
  output: { ...text, section: 'Output and CI', describe: 'with two folders: folder for the verdicts' },
  prompt: { ...text, describe: 'with two folders: the task, if eval_metadata.json is missing' },
  ...askNobodyFlag,
  ...configFlags('compare nothing'),
  ...passEnvFlag('a judge command'),
  ...sandboxFlags,
} satisfies Flags
