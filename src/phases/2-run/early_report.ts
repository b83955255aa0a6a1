/** What is known of a run whose engine was aborted: who worked, and what was paid until then. */
import { type EngineContext, type EngineReport, emptyReport } from '../../engines/engine.ts'

/** `soFar` goes to the engine; `take` gives what it knew, and is asked after it has rejected. */
export function earlyReport(): { soFar: NonNullable<EngineContext['soFar']>; take: () => Promise<EngineReport> } {
  let report = () => Promise.resolve(emptyReport)
  return {
    soFar(of) {
      report = of
    },
    async take() {
      const { version, model, provider, sessionId, usage, cost } = await report()
      // what it loaded and answered may be half of it, and nothing is concluded from halves
      return { ...emptyReport, version, model, provider, sessionId, usage, cost }
    },
  }
}
