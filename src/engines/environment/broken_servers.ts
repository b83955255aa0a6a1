/** The error of a run whose MCP servers did not all start: without them the agent would do another task. */
import type { EngineError } from '../engine.ts'

/** null: all have started, as far as the agent says. */
export function findServerError(broken: readonly string[]): EngineError | null {
  if (broken.length === 0) return null
  const message = `these MCP servers of the suite did not start: ${broken.join(', ')}`
  return { kind: 'setup', message, retryable: false, retryAfterMs: null }
}
