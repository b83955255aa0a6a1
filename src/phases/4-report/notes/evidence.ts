/** Notes on what judges quoted: how much of it was found, and which passes rest on quotes that were not. */
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { plural, short } from '../words.ts'

export function evidenceNotes({ runs }: NoteParts): NoteGroup[] {
  return [
    { notes: countNotes(runs.flatMap((run) => run.expectations)), more: '' },
    { notes: doubtNotes(runs), more: 'expectations that pass on quotes that were not found' },
  ]
}

/** One an expectation, however many runs it is of. */
function doubtNotes(runs: NoteParts['runs']): string[] {
  const all = new Map<string, { text: string; evalId: number; runs: string[] }>()
  for (const { eval_id: evalId, configuration, run_number, expectations } of runs) {
    for (const { text, evidence_flag } of expectations) {
      if (evidence_flag === undefined) continue
      const key = JSON.stringify([evalId, text])
      const one = all.get(key) ?? { text, evalId, runs: [] }
      all.set(key, { ...one, runs: [...one.runs, `${configuration} run ${run_number}`] })
    }
  }
  return [...all.values()].map(({ text, evalId, runs: own }) => {
    const places = own.length > 2 ? `${own.length} runs, ${own[0]} the first` : own.join(' and ')
    return `'${short(text)}' (eval ${evalId}, ${places}) passes on a quote that was not found`
  })
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
