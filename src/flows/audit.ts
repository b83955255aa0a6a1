/** audit: samples what a judge decided, for people to agree with or not; keeps what they say, and counts it. */
import type { AuditSummary } from '../../schemas/audit.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { readAuditLog } from '../store/audit_log.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import { type AuditSample, distinct, sampleOf } from './audit_sample.ts'
import { type Decision, decisionsOf } from './audited.ts'
import type { FlowContext } from './context.ts'
import { holdBenchmark } from './hold.ts'
import { auditWorkspace, keepLabel } from './label.ts'
import { summarize } from './summarize.ts'

export interface AuditRequest extends AuditSample {
  /** A benchmark, absolute. */
  folder: string
}

export interface Audit {
  workspace: string
  folder: string
  /** All that the judge decided, equal ones once. */
  decisions: Decision[]
  /** Those to be shown, in their order. */
  sample: Decision[]
  /** What people said so far, by id: whether the statement is met. */
  labels: Map<string, boolean>
}

/** Throws UserError where no judge decided anything. */
export async function openAudit(request: AuditRequest): Promise<Audit> {
  const { folder } = request
  const workspace = auditWorkspace(folder)
  const all = await decisionsOf(folder, await readPlan(folder))
  if (all.length === 0) {
    throw new UserError(
      `${folder}: no judge decided anything there`,
      'checks need no audit; expectations are decided by a judge',
    )
  }
  const decisions = distinct(all)
  const labels = new Map(
    [...readAuditLog(workspace).values()].flatMap(({ id, met }) => (met === null ? [] : [[id, met] as const])),
  )
  return { workspace, folder, decisions, sample: sampleOf(decisions, request), labels }
}

/** Keeps what a person says: whether they agree with the judge; null takes it back. */
export async function label(
  audit: Audit,
  { id, agree }: { id: string; agree: boolean | null },
  now: Date,
): Promise<void> {
  const decision = audit.decisions.find((one) => one.id === id)
  if (decision === undefined) {
    throw new UserError(
      `--label ${id}: no such decision`,
      'whetstone audit <workspace> --json lists them with their ids',
    )
  }
  const { passed } = decision.graded
  const met = agree === null ? null : agree ? passed : !passed
  await keepLabel(decision, { met, at: now })
  if (met === null) audit.labels.delete(id)
  else audit.labels.set(id, met)
}

/** Writes the reports anew with what people said. null: nobody said anything. */
export async function summarizeAudit(audit: Audit, context: FlowContext): Promise<AuditSummary | null> {
  await using held = await holdBenchmark(audit.folder, context)
  const { benchmark } = await summarize(audit.folder, await readPlan(audit.folder), held.context)
  return benchmark.audit ?? null
}

/** The benchmark itself, or the newest of a workspace. Throws UserError where there is none. */
export async function benchmarkIn(place: string): Promise<string> {
  if (await exists(benchmarkPaths(place).plan)) return place
  const [newest] = await listBenchmarks(place)
  if (newest === undefined)
    throw new UserError(`${place}: no benchmark there`, 'give a workspace or a benchmark folder')
  return newest
}
