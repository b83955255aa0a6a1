/** Splits a suite into training and held-out cases, the same for every flow with the same seed. */
import type { Split } from '../../../schemas/history/session.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { type CaseSplit, leastForSimilarCases, splitCases } from '../../phases/1-plan/suite/split_suite.ts'
import { leastCases } from '../../phases/4-report/acceptance/compare_held_out.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'

export interface SplitRequest {
  seed: number
  /** Also use unreviewed drafts by a model as cases. */
  useDrafts: boolean
}

/** Everything fixed before the first run. Throws UserError for a suite that can't be split. */
export async function splitSuite(request: SplitRequest, suite: Suite): Promise<Split> {
  const drafts = suite.cases.filter(({ draft }) => draft === true).map(({ eval_id }) => eval_id)
  const made = splitReviewed(suite, request, drafts.length)
  return {
    seed: request.seed,
    ...made,
    suite_sha256: await hashSuite(suite),
    scope: describeScope(made) + draftsText(drafts.length, request.useDrafts),
    ...(drafts.length > 0 && { drafts, drafts_used: request.useDrafts }),
  }
}

/** Uses unreviewed drafts only if the user asks for it. */
function splitReviewed({ cases, path }: Suite, { seed, useDrafts }: SplitRequest, drafts: number): CaseSplit {
  if (useDrafts || drafts === 0) return splitCases(cases, seed)
  const reviewed = cases.filter(({ draft }) => draft !== true)
  if (reviewed.filter((one) => one.cannot_run === null).length >= 2) return splitCases(reviewed, seed)
  throw new UserError(
    `${path}: ${drafts} of its ${cases.length} cases are unreviewed drafts, and too few others are left`,
    'review them and remove "review": "draft", or add --use-drafts',
  )
}

function draftsText(drafts: number, isUsed: boolean): string {
  if (drafts === 0) return ''
  if (!isUsed) return `; ${drafts} unreviewed drafts are left out (--use-drafts includes them)`
  return `; ${drafts} of the cases are unreviewed drafts: results hold for cases that a model wrote`
}

function describeScope({ train, held_out }: CaseSplit): string {
  const parts = `${formatPlural(train.length, 'training case')}, ${formatPlural(held_out.length, 'held-out case')}`
  if (held_out.length >= leastCases) return parts
  return `${parts}; a result holds for these cases only (a claim about similar cases needs ${leastForSimilarCases} cases or more)`
}
