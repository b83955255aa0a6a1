/** The flags of `init`. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { askNobodyFlag, configFlags, passEnvFlag } from '../options/common_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const initFlags = {
  cases: {
    type: 'number',
    requiresArg: true,
    default: 8,
    coerce: wholeNumber('cases', 1, 200),
    describe: 'number of cases to draft (improve needs 12 for a claim about similar cases)',
  },
  output: {
    type: 'string',
    requiresArg: true,
    defaultDescription: 'evals/evals.json of the skill',
    describe: 'new file for the drafts',
  },
  'from-sessions': {
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'draft from recorded sessions, without a model: file or folder',
  },
  engine: {
    ...benchFlags.engine,
    describe: 'engine that drafts: name[:model] (auto: first available)',
  },
  model: benchFlags.model,
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'same as --engine and --model: engine[:model] or a model',
  },
  'base-url': { ...benchFlags['base-url'], describe: "URL of the engine's server" },
  budget: {
    ...benchFlags.budget,
    describe: 'stop asking at this cost in dollars (exit 3)',
  },
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': {
    ...benchFlags['cost-per-run'],
    describe: 'assumed cost (USD) of an answer that reports none',
  },
  prices: benchFlags.prices,
  'max-wait': benchFlags['max-wait'],
  ...askNobodyFlag,
  ...configFlags('ask no model'),
  ...passEnvFlag('the engine'),
  ...sandboxFlags,
} satisfies Record<string, Options>
