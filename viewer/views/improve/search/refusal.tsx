/** Why an edit or a proposal was refused before any run. */
import type { RoundProposal } from '../../../../schemas/history/round.ts'

export function Refusal({ rule, reason }: NonNullable<RoundProposal['refused']>) {
  return (
    <p>
      <em class="tag bad wraps">{rule.replaceAll('_', ' ')}</em> <span class="text">{reason}</span>
    </p>
  )
}
