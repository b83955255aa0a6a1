/** Runs of quarantined cases: reported with how they ended, in no number. */
import type { Quarantine } from '../../../../schemas/case_upkeep.ts'
import type { AggregateInput, PlannedRun, RunWithGrading } from './aggregate_input.ts'
import type { ExclusionReason } from './classify_runs.ts'

/** Why such a run is not in the rates. `otherwise`: why it would be excluded anyway; a run that did not take place is missing all the same. */
export function whyQuarantined(
  quarantine: Quarantine,
  otherwise: ExclusionReason | null,
  result: RunWithGrading | null,
): ExclusionReason {
  if (otherwise?.reason === 'missing' || otherwise?.reason === 'cancelled') return otherwise
  const summary = result?.grading?.summary
  const passed = summary === undefined ? 'graded' : `${summary.passed} of ${summary.total} passed`
  const end = otherwise === null ? passed : `${otherwise.kind ?? otherwise.reason}: ${otherwise.message}`
  return { reason: 'quarantined', kind: null, message: quarantine === true ? end : `${end} (${quarantine})` }
}

/** The planned runs whose cases count. */
export function keepCountingRuns({ planned, cases }: Pick<AggregateInput, 'planned' | 'cases'>): PlannedRun[] {
  const apart = new Set(cases.flatMap(({ eval_id, quarantine }) => (quarantine === undefined ? [] : eval_id)))
  return planned.filter(({ eval_id }) => !apart.has(eval_id))
}
