/** Collects the facts of a run whose engine was aborted: model, usage and cost. */
import { type EngineContext, type EngineReport, emptyReport } from '../../engines/engine.ts'

/** `soFar` goes to the engine; call `take` after the engine has rejected to get its last report. */
export function createEarlyReport(): { soFar: NonNullable<EngineContext['soFar']>; take: () => Promise<EngineReport> } {
  let report = () => Promise.resolve(emptyReport)
  return {
    soFar(of) {
      report = of
    },
    async take() {
      const { version, model, provider, sessionId, usage, cost, answered, retrying, ...rest } = await report()
      const { furtherCalls, refusedRequests } = rest
      const atProxy = { ...(furtherCalls && { furtherCalls }), ...(refusedRequests && { refusedRequests }) }
      // its loaded parts and answer may be incomplete, so no conclusion is drawn from them
      return { ...emptyReport, version, model, provider, sessionId, usage, cost, answered, retrying, ...atProxy }
    },
  }
}
