/** Notes on what judges quoted: how much of it was found, and which passes rest on quotes that were not. */
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { plural, short } from '../words.ts'

export function evidenceNotes({ runs }: NoteParts): NoteGroup[] {
  const flagged = runs.flatMap((run) =>
    run.expectations.flatMap(({ text, evidence_flag }) =>
      evidence_flag === undefined
        ? []
        : `'${short(text)}' (eval ${run.eval_id}, ${run.configuration} run ${run.run_number}) passes on a quote that was not found`,
    ),
  )
  return [
    { notes: countNotes(runs.flatMap((run) => run.expectations)), more: '' },
    { notes: flagged, more: 'passes on quotes that were not found' },
  ]
}

type Verified = NonNullable<GradedExpectation['evidence_verified']>

function countNotes(expectations: readonly GradedExpectation[]): string[] {
  const counts: Record<Verified, number> = { exact: 0, fuzzy: 0, absent: 0, not_a_quote: 0 }
  for (const { evidence_verified } of expectations) if (evidence_verified !== undefined) counts[evidence_verified] += 1
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (total === 0) return []
  const { exact, fuzzy, absent, not_a_quote } = counts
  return [
    `Evidence of ${plural(total, 'judged verdict')}: ${exact} quoted and found, ${fuzzy} nearly, ${absent} quoted and not found, ${not_a_quote} without a quote`,
  ]
}
