/** What a judge says beyond its verdicts, and who it was, as grading.json holds them. */
import type { Grading } from '../../../schemas/grading.ts'
import type { HeldBack } from '../../../schemas/held_back.ts'
import { boundedList, boundedText } from './bounds.ts'
import type { Judged } from './judge.ts'
import type { JudgeAnswer } from './judge_answer.ts'
import { askedOf } from './meter.ts'

/** The judge's parts of a grading; `engine` and `model` are those asked for. */
export function judgeParts(
  { answer, claims, spent, askedAgain, samples, agreement, injectionAttempts, cachedFrom }: Judged,
  asked: { name: string; model: string | null; heldBack?: HeldBack | null | undefined },
): Pick<Grading, 'claims' | 'user_notes_summary' | 'eval_feedback' | 'injection_attempts' | 'judge'> {
  const judge = {
    ...askedOf(asked, spent),
    ...(askedAgain !== undefined && { asked_again: askedAgain }),
    ...(samples !== undefined && { samples }),
    ...(agreement !== undefined && { agreement }),
    ...(cachedFrom && { cached_from: cachedFrom }),
    ...(asked.heldBack && { held_back: asked.heldBack }),
  }
  const attempts = injectionAttempts && { injection_attempts: injectionAttempts }
  if (answer === null) return { ...attempts, judge }
  return { claims: claims ?? [], user_notes_summary: notesOf(answer), ...feedbackOf(answer), ...attempts, judge }
}

/** Only where something was worth raising. */
function feedbackOf({ eval_feedback }: JudgeAnswer): Pick<Grading, 'eval_feedback'> {
  if (eval_feedback === null) return {}
  const { suggestions, overall } = eval_feedback
  if (suggestions.length === 0 && overall.trim() === '') return {}
  return {
    eval_feedback: {
      overall: boundedText(overall),
      suggestions: boundedList(suggestions, ({ assertion, reason }) => ({
        ...(assertion && { assertion: boundedText(assertion) }),
        reason: boundedText(reason),
      })),
    },
  }
}

function notesOf({ user_notes_summary: notes }: JudgeAnswer): Grading['user_notes_summary'] {
  const { uncertainties, needs_review, workarounds } = notes
  return {
    uncertainties: boundedList(uncertainties, boundedText),
    needs_review: boundedList(needs_review, boundedText),
    workarounds: boundedList(workarounds, boundedText),
  }
}
