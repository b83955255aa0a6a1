/** The flags of `init`. */
import { benchFlags } from '../bench/options.ts'
import { askNobodyFlag, configFlags, passEnvFlag } from '../options/common_flags.ts'
import { type Flags, free, text, whole } from '../options/flag.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const initFlags = {
  cases: {
    ...whole('cases', 1, 200),
    default: 8,
    trust: free,
    describe: 'number of cases to draft (improve needs 12 for a claim about similar cases)',
  },
  output: {
    ...text,
    defaultDescription: 'evals/evals.json of the skill',
    section: 'Output and CI',
    describe: 'new file for the drafts',
  },
  engine: { ...benchFlags.engine, describe: 'engine that drafts: name[:model] (auto: first available)' },
  model: benchFlags.model,
  judge: { ...text, section: 'Common', describe: 'same as --engine and --model: engine[:model] or a model' },
  'base-url': { ...benchFlags['base-url'], describe: "URL of the engine's server" },
  budget: { ...benchFlags.budget, describe: 'stop asking at this cost in dollars (exit 3)' },
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': { ...benchFlags['cost-per-run'], describe: 'assumed cost (USD) of an answer that reports none' },
  prices: benchFlags.prices,
  'max-wait': benchFlags['max-wait'],
  ...askNobodyFlag,
  ...configFlags('ask no model'),
  ...passEnvFlag('the engine'),
  ...sandboxFlags,
} satisfies Flags
