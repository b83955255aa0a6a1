/** Judge settings shared by `bench` and `grade`. */
import type { Options } from 'yargs'
import type { JudgingWish } from '../../../flows/prepare/judge_settings.ts'
import { wholeNumber } from './run_flow.ts'

export const judgeFlags = {
  'judge-samples': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('judge-samples', 1, 99),
    describe: 'votes per expectation; the majority counts',
  },
  'judge-batch': {
    type: 'boolean',
    default: false,
    describe: "ask the judge by its provider's batch API, at half the price",
  },
  'require-evidence': {
    type: 'boolean',
    describe: 'a pass without verified evidence is a judge error',
  },
  'judge-effort': { type: 'string', requiresArg: true, describe: 'how hard the judge thinks, such as high' },
} satisfies Record<string, Options>

export function judgingWish(given: {
  judgeSamples?: number | undefined
  requireEvidence?: boolean | undefined
  judgeEffort?: string | undefined
}): JudgingWish {
  return {
    samples: given.judgeSamples ?? null,
    requireEvidence: given.requireEvidence ?? null,
    effort: given.judgeEffort ?? null,
  }
}
