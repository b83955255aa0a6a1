/** Whether a difference compares runs of the same time: `statistics.older_runs`. */
import type { OlderRuns } from '../../../../../schemas/older_runs.ts'
import { formatPlural } from '../../text/format.ts'
import type { AggregateInput } from '../aggregate_input.ts'
import { ageText } from './older_runs_text.ts'
import { findStaleRuns, readOrigin, type StaleRun, usualBaselineAge } from './stale_runs.ts'

/** null: there is nothing to say, because all runs were performed for this benchmark and no runs of a pair are far apart. */
export function findStaleBaseline(
  input: Pick<AggregateInput, 'planned' | 'results' | 'baseline' | 'olderRuns'>,
): OlderRuns | null {
  const { planned, results, baseline, olderRuns: known = null } = input
  if (baseline === null) return null
  const ageMs = known === null ? usualBaselineAge : known.baseline_age_seconds * 1000
  const graded = planned.flatMap(({ run_id }) => {
    const { record = null, grading = null } = results.get(run_id) ?? {}
    return record === null || grading === null ? [] : [[run_id, readOrigin(record)] as const]
  })
  const stale = findStaleRuns({ runs: planned, origins: new Map(graded), ageMs, now: null })
  const tests = known?.tests ?? []
  const isReused = graded.some(([, { benchmark }]) => benchmark !== null)
  if (stale.length === 0 && tests.length === 0 && (known === null || !isReused)) return null
  const passed = new Set(tests.flatMap(({ configuration, result }) => (result === 'no_drift' ? [configuration] : [])))
  const untested = stale.filter(({ run, why }) => why === 'engine' || !passed.has(run.configuration))
  const counts: Record<string, number> = {}
  for (const { run } of untested) counts[run.configuration] = (counts[run.configuration] ?? 0) + 1
  return {
    is_concurrent: untested.length === 0,
    reason: untested.length === 0 ? null : explainStaleRuns(counts, untested, ageMs),
    baseline_age_seconds: ageMs / 1000,
    untested: counts,
    tests: [...tests],
  }
}

/** "8 without_skill runs are older than the runs they are compared with by more than 24 h, and not tested for drift". */
function explainStaleRuns(counts: OlderRuns['untested'], stale: readonly StaleRun[], ageMs: number): string {
  const runs = Object.entries(counts).map(([name, count]) => formatPlural(count, `${name} run`))
  const are = stale.length === 1 ? 'is' : 'are'
  const why = stale.every(({ why: one }) => one === 'engine')
    ? 'from another model or engine version than the runs compared with'
    : `more than ${ageText(ageMs)} older than the runs compared with, and not tested for drift`
  return `${runs.join(' and ')} ${are} ${why}`
}
