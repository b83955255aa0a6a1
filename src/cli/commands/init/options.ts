/** The flags of `init`. */
import type { Options } from 'yargs'
import { benchFlags } from '../bench/options.ts'
import { askNobodyFlag, passEnvFlag, printConfigFlag } from '../options/common_flags.ts'
import { wholeNumber } from '../options/run_flow.ts'
import { sandboxFlags } from '../options/sandbox_flags.ts'

export const initFlags = {
  cases: {
    type: 'number',
    requiresArg: true,
    default: 8,
    coerce: wholeNumber('cases', 1, 200),
    describe: 'how many cases to draft; from 18 on improve can hold some back',
  },
  output: {
    type: 'string',
    requiresArg: true,
    describe: 'the file; evals/evals.json in the skill if not given; never one that is there',
  },
  engine: {
    ...benchFlags.engine,
    describe: 'who drafts: claude-code, anthropic, codex, openai, opencode, with :model; auto takes the first that can',
  },
  model: benchFlags.model,
  judge: {
    type: 'string',
    requiresArg: true,
    describe: 'the same in the words of bench: engine[:model] or a model, instead of --engine and --model',
  },
  'base-url': { ...benchFlags['base-url'], describe: "URL of the engine's server" },
  budget: {
    ...benchFlags.budget,
    describe: 'dollars that drafting may cost: no further answer is asked for that could go beyond (exit 3)',
  },
  'budget-tokens': benchFlags['budget-tokens'],
  'cost-per-run': {
    ...benchFlags['cost-per-run'],
    describe: 'dollars that a question counts for --budget whose cost is not reported',
  },
  'max-wait': benchFlags['max-wait'],
  ...askNobodyFlag,
  ...printConfigFlag('ask nobody'),
  ...passEnvFlag('the engine'),
  ...sandboxFlags,
} satisfies Record<string, Options>
