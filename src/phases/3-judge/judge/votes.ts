/** Combines several votes of the judge on one run: the majority decides, a tie is a fail, and the agreement is kept. */
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import { sumCallUsage } from '../../../engines/ask/cost_meter.ts'
import type { JudgeResult } from '../judge_request.ts'
import type { JudgeVerdict } from './judge_answer.ts'

/** Combines at least one vote. No verdict if failed votes (judge errors) could have changed the majority. */
export function countVotes(votes: readonly [JudgeResult, ...JudgeResult[]]): JudgeResult {
  const [first, ...others] = votes
  if (others.length === 0) return first
  const verdicts = first.verdicts.map((_, index) => majority(votes.map((vote) => vote.verdicts[index] ?? noVerdict)))
  const agreements = verdicts.flatMap((verdict) => ('error' in verdict ? [] : (verdict.votes?.agreement ?? [])))
  const made = votes.filter((vote) => vote.cachedFrom === undefined)
  const askedAgain = votes.reduce((sum, vote) => sum + (vote.askedAgain ?? 0), 0)
  return {
    verdicts,
    answer: votes.find(({ answer }) => answer !== null)?.answer ?? null,
    spent: sumCallUsage((made.length === 0 ? votes : made).map(({ spent }) => spent)),
    ...(askedAgain > 0 && { askedAgain }),
    samples: votes.length,
    ...(agreements.length > 0 && { agreement: agreements.reduce((sum, one) => sum + one, 0) / agreements.length }),
    ...(made.length === 0 && first.cachedFrom && { cachedFrom: first.cachedFrom }),
  }
}

const noVerdict: JudgeVerdict = { error: 'the judge gave no verdict' }
type GivenVerdict = Exclude<JudgeVerdict, { error: string }>

function majority(verdicts: readonly JudgeVerdict[]): JudgeVerdict {
  const given = verdicts.filter((verdict): verdict is GivenVerdict => !('error' in verdict))
  const lost = verdicts.find((verdict) => 'error' in verdict)
  if (given.length === 0) return lost ?? noVerdict
  const [passes, fails] = [given.filter(({ passed }) => passed), given.filter(({ passed }) => !passed)]
  const isPass = passes.length > fails.length
  const lead = isPass ? passes.length - fails.length - 1 : fails.length - passes.length
  const missing = verdicts.length - given.length
  if (lost !== undefined && lead < missing) {
    return { error: `votes: ${passes.length} passed, ${fails.length} failed, ${missing} missing: ${lost.error}` }
  }
  const side = isPass ? passes : fails
  const [best] = side.toSorted((a, b) => rankVerdictEvidence(a) - rankVerdictEvidence(b))
  if (best === undefined) return noVerdict
  const agreement = Math.max(passes.length, fails.length) / given.length
  return { ...best, votes: { passed: passes.length, failed: fails.length, agreement } }
}

const rank: Record<NonNullable<GradedExpectation['evidence_verified']>, number> = {
  exact: 0,
  fuzzy: 1,
  not_a_quote: 2,
  claim: 3,
  absent: 4,
}

/** Among votes of the winning side, the one with the best evidence is kept. */
function rankVerdictEvidence({ evidence_verified: verified }: GivenVerdict): number {
  return verified === undefined ? rank.not_a_quote : rank[verified]
}
