/** How a turn of an agent ended. */
import type { ProcessEnd } from '../../../base/process/spawn.ts'
import type { EngineError } from '../../engine.ts'
import type { PromptResult } from '../protocol/records.ts'

/**
 * over: by the agent; max_turns: after its last allowed turn; context_full: its context was full after an answer; gone: its process
 * ended; aborted: from outside; no_message: the user's next message could not be had.
 */
export type TurnEnd =
  | { kind: 'over'; result: PromptResult }
  | { kind: 'max_turns' }
  | { kind: 'context_full' }
  | { kind: 'failed'; error: EngineError }
  | { kind: 'gone'; process: ProcessEnd }
  | { kind: 'aborted' }
  | { kind: 'no_message'; error: unknown }
