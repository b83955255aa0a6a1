/** Replaces a verdict on runs of different times: their difference may come from a changed model. */
import type { Scope } from '../../../../../schemas/benchmark_statistics.ts'
import type { OlderRuns } from '../../../../../schemas/older_runs.ts'

/** The rule of a scope whose verdict is withheld. */
export const notConcurrent = 'baseline_not_concurrent'

/** Why the verdict is withheld, and what to do. */
export function notConcurrentSentence({ reason }: OlderRuns): string {
  return `Baseline not concurrent: ${reason}. No verdict: bench again, with --fresh to reuse nothing.`
}

/** The scope as it is if its runs are of the same time; its numbers stay in any case. */
export function withholdVerdict(scope: Scope, older: OlderRuns | null): Scope {
  if (older === null || older.is_concurrent) return scope
  return {
    ...scope,
    verdict: 'inconclusive',
    rule: notConcurrent,
    sentence: notConcurrentSentence(older),
    needed_for_margin: null,
  }
}
