/** Judge settings shared by `bench` and `grade`. */
import type { Options } from 'yargs'
import type { JudgingWish } from '../../../flows/prepare/judge_settings.ts'
import { wholeNumber } from './run_flow.ts'

export const judgeFlags = {
  'judge-samples': {
    type: 'number',
    requiresArg: true,
    coerce: wholeNumber('judge-samples', 1, 99),
    describe: 'how often the judge decides each expectation: the majority counts, a tie is a fail',
  },
  'require-evidence': {
    type: 'boolean',
    describe: 'a pass on a quote that is not found, asked twice, is a judge error instead of being flagged',
  },
} satisfies Record<string, Options>

export function judgingWish(given: {
  judgeSamples?: number | undefined
  requireEvidence?: boolean | undefined
}): JudgingWish {
  return { samples: given.judgeSamples ?? null, requireEvidence: given.requireEvidence ?? null }
}
