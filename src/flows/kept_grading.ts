/** Whether a grading that is there is worth more than the one just made. */
import type { Grading } from '../../schemas/grading.ts'

/** The judge decided something in it. */
export function isJudged(grading: Grading): boolean {
  return grading.expectations.some(({ decided_by }) => decided_by === 'judge')
}

/** The judge decided nothing now, and did then, on the same statements. Whether their criteria are the same is for the caller to know. */
export function isWorthKeeping(before: Grading | null, made: Grading): before is Grading {
  if (before === null || (made.judge_errors ?? []).length === 0) return false
  return !isJudged(made) && isJudged(before) && textsOf(before) === textsOf(made)
}

function textsOf({ expectations, judge_errors: errors = [] }: Grading): string {
  return JSON.stringify([...expectations, ...errors].map(({ text }) => text).sort())
}
