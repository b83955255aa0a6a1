/** Turns a planned judge into the judge of a grading. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Engine } from '../../engines/engine.ts'
import type { JudgeChoice } from '../../phases/3-judge/judge_request.ts'

/** `engine`: the one that the choice names. */
export function toJudgeChoice(engine: Engine, { model, command, base_url, effort }: EngineChoice): JudgeChoice {
  return { engine, model, command: command ?? null, baseUrl: base_url, effort }
}
