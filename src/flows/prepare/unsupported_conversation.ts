/** Excludes cases of several turns on an engine that can't continue a session. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { findEngine } from '../../engines/table.ts'
import { hasConversation } from '../../phases/1-plan/plan/plan_conversation.ts'

/** The reason is in `cannot_run`. */
export function applyConversationSupport(suite: Suite, choice: EngineChoice): Suite {
  if (findEngine(choice.name).continuesSession || !suite.cases.some(hasConversation)) return suite
  const reason = `it has several turns, and the engine ${choice.name} can't continue a session`
  const cases = suite.cases.map((one) => {
    if (!hasConversation(one)) return one
    return { ...one, cannot_run: one.cannot_run === null ? reason : `${one.cannot_run}; ${reason}` }
  })
  return { ...suite, cases }
}
