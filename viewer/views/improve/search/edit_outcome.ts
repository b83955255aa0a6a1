/** What became of an edit, in a word and its mark. */
import type { ProposedEdit, RoundProposal } from '../../../../schemas/history/round.ts'

export type EditOutcome = 'kept' | 'not kept' | 'refused' | 'did not run'

export const outcomeMarks: Record<EditOutcome, string> = {
  kept: '●',
  'not kept': '○',
  refused: '×',
  'did not run': '–',
}

/** A refused proposal refuses its edits. */
export function editOutcome({ kept, refused, effect }: ProposedEdit, proposal?: RoundProposal): EditOutcome {
  if (refused !== undefined || proposal?.refused !== undefined) return 'refused'
  if (kept) return 'kept'
  return effect === null ? 'did not run' : 'not kept'
}
