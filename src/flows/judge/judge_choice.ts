/** Turns a planned judge into the judge of a grading, and says whether an earlier grading is worth more than a failed one. */
import type { Grading } from '../../../schemas/grading.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Engine } from '../../engines/engine.ts'
import type { JudgeChoice } from '../../phases/3-judge/judge_request.ts'

/** `engine`: the one that the choice names. */
export function toJudgeChoice(engine: Engine, { model, command, base_url, effort }: EngineChoice): JudgeChoice {
  return { engine, model, command: command ?? null, baseUrl: base_url, effort }
}

/** True if the judge decided something. */
export function hasJudgeVerdicts(grading: Grading): boolean {
  return grading.expectations.some(({ decided_by }) => decided_by === 'judge')
}

/** True if the judge failed this time but decided the same statements before. The caller must know that the criteria are the same. */
export function isWorthKeeping(before: Grading | null, made: Grading): before is Grading {
  if (before === null || (made.judge_errors ?? []).length === 0) return false
  return !hasJudgeVerdicts(made) && hasJudgeVerdicts(before) && listStatements(before) === listStatements(made)
}

function listStatements({ expectations, judge_errors: errors = [] }: Grading): string {
  return JSON.stringify([...expectations, ...errors].map(({ text }) => text).sort())
}
