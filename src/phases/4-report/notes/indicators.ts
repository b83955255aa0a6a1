/** Notes on indicators: each statement that is left out of the lift, and why. */
import type { NoteGroup, NoteParts } from '../notes.ts'
import { short } from '../words.ts'

const reasons = {
  author: 'is marked as an indicator',
  skill_read: 'asks whether the skill was read or used',
  skill_script: "asks whether the skill's script was used",
  skill_wording: "asks for the skill's own wording",
}

export function indicatorNotes({ statistics }: NoteParts): NoteGroup[] {
  const notes = (statistics?.expectations ?? []).flatMap(({ indicator, text, eval_id, candidate, baseline }) => {
    if (indicator === null) return []
    const met = `met in ${candidate.passed}/${candidate.total} and ${baseline.passed}/${baseline.total} runs`
    return `Expectation '${short(text)}' (eval ${eval_id}) ${reasons[indicator]} (${met}) - shown, left out of the statistics`
  })
  return [{ notes, more: 'indicators that are left out of the statistics' }]
}
