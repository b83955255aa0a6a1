/** Which verdicts of a judge a person should audit: a random sample that anyone can draw again. Pure. */
import type { GoldenAuditLine, GoldenRunLine } from '../../../../schemas/golden.ts'
import { sha256 } from '../../../base/json/json.ts'

/** At least one if the share is not zero. */
export function drawAuditSample(lines: readonly GoldenRunLine[], share: number): GoldenAuditLine[] {
  const decided = lines.filter(({ verdict, scores }) => verdict !== 'judge_error' && Object.keys(scores).length > 0)
  if (share <= 0 || decided.length === 0) return []
  const count = Math.max(1, Math.round(decided.length * share))
  const lot = ({ ts, test_id }: GoldenRunLine) => sha256(`${ts} ${test_id}`)
  return decided
    .toSorted((a, b) => (lot(a) < lot(b) ? -1 : 1))
    .slice(0, count)
    .map(({ ts, agent, test_id, verdict, weighted_score, judge_model, judge_justification, agent_response_path }) => ({
      ...{ ts, agent, test_id, verdict, weighted_score, judge_model, judge_justification, agent_response_path },
      human: null,
    }))
}
