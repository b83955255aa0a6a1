/** audit: samples what a judge decided, for people to agree with or not; keeps what they say, and counts it. */
import path from 'node:path'
import type { AuditSummary } from '../../schemas/audit.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { sha256 } from '../base/json.ts'
import { appendAudit, readAuditLog } from '../store/audit_log.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import { type Decision, decisionsOf } from './audited.ts'
import type { FlowContext } from './context.ts'
import { holdBenchmark } from './hold.ts'
import { summarize } from './summarize.ts'

export interface AuditRequest {
  /** A workspace (its newest benchmark is audited), or a benchmark. */
  place: string
  /** Of the decisions of each verdict in each arm; above 0, at most 1. */
  share: number
  seed: number
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
  const folder = await benchmarkIn(path.resolve(request.place))
  const workspace = path.dirname(path.dirname(folder))
  const all = await decisionsOf(folder, await readPlan(folder))
  if (all.length === 0) {
    throw new UserError(
      `${folder}: no judge decided anything there`,
      'checks need no audit; expectations are decided by a judge',
    )
  }
  const decisions = [...new Map(all.map((one) => [one.id, one])).values()]
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
  const { graded, run_id, eval_id, configuration } = decision
  const met = agree === null ? null : agree ? graded.passed : !graded.passed
  const benchmark = path.relative(audit.workspace, audit.folder)
  const said = { id, at: now.toISOString(), met, judge_passed: graded.passed, text: graded.text }
  await appendAudit(audit.workspace, { schema_version: 1, ...said, benchmark, run_id, eval_id, configuration })
  if (met === null) audit.labels.delete(id)
  else audit.labels.set(id, met)
}

/** Writes the reports anew with what people said. null: nobody said anything. */
export async function summarizeAudit(audit: Audit, context: FlowContext): Promise<AuditSummary | null> {
  await using held = await holdBenchmark(audit.folder, context)
  const { benchmark } = await summarize(audit.folder, await readPlan(audit.folder), held.context)
  return benchmark.audit ?? null
}

async function benchmarkIn(place: string): Promise<string> {
  if (await exists(benchmarkPaths(place).plan)) return place
  const [newest] = await listBenchmarks(place)
  if (newest === undefined)
    throw new UserError(`${place}: no benchmark there`, 'give a workspace or a benchmark folder')
  return newest
}

/** So many of each verdict in each arm, at least one; which ones is drawn by the seed, and a larger share adds to them. */
function sampleOf(decisions: readonly Decision[], { share, seed }: AuditRequest): Decision[] {
  const strata = new Map<string, Decision[]>()
  for (const one of decisions) {
    const name = `${one.configuration}/${one.graded.passed}`
    strata.set(name, [...(strata.get(name) ?? []), one])
  }
  const drawn = new Map(decisions.map((one) => [one.id, sha256(`${seed}/${one.id}`)]))
  const order = (a: Decision, b: Decision) => ((drawn.get(a.id) ?? '') < (drawn.get(b.id) ?? '') ? -1 : 1)
  const chosen = [...strata.values()].flatMap((own) =>
    own.sort(order).slice(0, Math.max(1, Math.ceil(own.length * share))),
  )
  return chosen.sort(order)
}
