/** Lists a judge's decisions in a benchmark, with ids that stay while statement and evidence do, and stores people's labels of them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { GradedExpectation } from '../../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { attempt, isErrno } from '../../base/errors/attempt.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { toGroups } from '../../base/totals.ts'
import { evidenceDigest } from '../../phases/3-judge/grade/decisions.ts'
import { appendAudit } from '../../store/artefacts/audit_log.ts'
import { readRemoved } from '../../store/artefacts/removed_parts.ts'
import { runPaths } from '../../store/paths.ts'
import { readRun, type StoredRun } from '../../store/store.ts'

export interface JudgeDecision {
  id: string
  /** The benchmark's folder, absolute. */
  folder: string
  run_id: string
  eval_id: number
  configuration: string
  graded: GradedExpectation
  prompt: string
  response: string
  /** Names of files that the agent created or changed. */
  outputs: string[]
}

/** Decisions by the benchmark's judge; excludes verdicts by code. */
export async function readJudgeDecisions(folder: string, plan: Plan): Promise<JudgeDecision[]> {
  const decisions: JudgeDecision[] = []
  for await (const one of iterateDecisions(folder, plan)) decisions.push(one)
  return decisions
}

/** The same, one at a time, for benchmarks with thousands of runs. */
export async function* iterateDecisions(folder: string, plan: Plan): AsyncGenerator<JudgeDecision> {
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    const judged = selectJudgedExpectations(stored)
    if (stored === null || judged.length === 0) continue
    const digest = computeRunDigest(folder, spec, stored.record)
    const { eval_id, configuration, run_id, prompt } = spec
    const { final_response: response, outputs } = stored.record
    for (const graded of judged) {
      const id = computeDecisionId(graded, spec, digest)
      const files = outputs.files.map((file) => file.path)
      yield { id, folder, run_id, eval_id, configuration, graded, prompt, response, outputs: files }
    }
  }
}

function selectJudgedExpectations(stored: StoredRun | null): GradedExpectation[] {
  return (stored?.grading?.expectations ?? []).filter(({ decided_by }) => decided_by === 'judge')
}

function computeRunDigest(folder: string, { run_id }: RunSpec, record: RunRecord): string {
  const paths = runPaths(folder, run_id)
  const known = readRemoved(paths.folder)?.transcript_sha256 // labels stay valid without the transcript
  return evidenceDigest(record, known ?? sha256(readTextIfPresent(paths.transcript)))
}

function computeDecisionId({ text }: GradedExpectation, { prompt }: RunSpec, digest: string): string {
  return sha256(canonicalJson({ text, prompt, digest })).slice(0, 12)
}

function readTextIfPresent(file: string): string {
  return attempt(() => readFileSync(file, 'utf8'), '', isErrno('ENOENT'))
}

/** Whether a person says the statement passes; null removes the label. */
export interface AuditLabel {
  met: boolean | null
  at: Date
}

/** The workspace with a benchmark's labels. */
export function auditWorkspace(folder: string): string {
  return path.dirname(path.dirname(folder))
}

/** Appends a line to audit_log.jsonl; it is on disk when this resolves. */
export async function keepLabel(decision: JudgeDecision, { met, at }: AuditLabel): Promise<void> {
  const { id, folder, graded, run_id, eval_id, configuration } = decision
  const workspace = auditWorkspace(folder)
  const benchmark = path.relative(workspace, folder)
  const said = { id, at: at.toISOString(), met, judge_passed: graded.passed, text: graded.text }
  await appendAudit(workspace, { schema_version: 1, ...said, benchmark, run_id, eval_id, configuration })
}

export interface AuditSample {
  /** Share of the decisions per verdict and configuration; above 0, at most 1. */
  share: number
  seed: number
}

/** The default: a tenth. */
export const usualSample: AuditSample = { share: 0.1, seed: 1 }

/** What a sample is drawn by. */
interface Drawable {
  id: string
  configuration: string
  graded: { passed: boolean }
}

export function uniqueDecisions<D extends { id: string }>(decisions: readonly D[]): D[] {
  return [...new Map(decisions.map((one) => [one.id, one])).values()]
}

/** The share of each verdict in each configuration, at least one; the seed picks them, and a larger share only adds. */
export function sampleDecisions<D extends Drawable>(decisions: readonly D[], { share, seed }: AuditSample): D[] {
  const strata = toGroups(decisions, (one) => `${one.configuration}/${one.graded.passed}`)
  const drawn = new Map(decisions.map((one) => [one.id, sha256(`${seed}/${one.id}`)]))
  const order = (a: D, b: D) => ((drawn.get(a.id) ?? '') < (drawn.get(b.id) ?? '') ? -1 : 1)
  const chosen = [...strata.values()].flatMap((own) =>
    own.sort(order).slice(0, Math.max(1, Math.ceil(own.length * share))),
  )
  return chosen.sort(order)
}
