/** Converts a judge's remarks and identity to their form in grading.json. */
import type { Grading } from '../../../../schemas/grading.ts'
import type { HeldBack } from '../../../../schemas/held_back.ts'
import { toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import type { JudgeResult } from '../judge_request.ts'
import { boundedList, boundedText } from './answer_bounds.ts'
import type { JudgeAnswer } from './judge_answer.ts'

/** The judge's parts of a grading; `asked` is the judge that was to decide. */
export function buildJudgeFields(
  { answer, claims, spent, decidedBy, askedAgain, samples, agreement, injectionAttempts, cachedFrom }: JudgeResult,
  asked: { name: string; model: string | null; heldBack?: HeldBack | null | undefined },
): Pick<Grading, 'claims' | 'user_notes_summary' | 'eval_feedback' | 'injection_attempts' | 'judge'> {
  const judge = {
    ...toAskedJudge(decidedBy ?? asked, spent),
    ...(askedAgain !== undefined && { asked_again: askedAgain }),
    ...(samples !== undefined && { samples }),
    ...(agreement !== undefined && { agreement }),
    ...(cachedFrom && { cached_from: cachedFrom }),
    ...(asked.heldBack && { held_back: asked.heldBack }),
  }
  const attempts = injectionAttempts && { injection_attempts: injectionAttempts }
  if (answer === null) return { ...attempts, judge }
  return {
    claims: claims ?? [],
    user_notes_summary: pickUserNotes(answer),
    ...pickEvalFeedback(answer),
    ...attempts,
    judge,
  }
}

/** Only if the judge raised something. */
function pickEvalFeedback({ eval_feedback }: JudgeAnswer): Pick<Grading, 'eval_feedback'> {
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

function pickUserNotes({ user_notes_summary: notes }: JudgeAnswer): Grading['user_notes_summary'] {
  const { uncertainties, needs_review, workarounds } = notes
  return {
    uncertainties: boundedList(uncertainties, boundedText),
    needs_review: boundedList(needs_review, boundedText),
    workarounds: boundedList(workarounds, boundedText),
  }
}
