/** Runs every unanswered query of a plan in a locked folder, and writes triggers.json. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Stop } from '../../../../schemas/limits.ts'
import type { Configuration, Plan } from '../../../../schemas/plan.ts'
import { type Triggers, triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { readStop } from '../../../engines/answers/stop_at_read.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createStartQueue } from '../../../flows/history/start_order.ts'
import { openLimitedBench, resolveSharedLimits } from '../../../flows/limits/limited_bench.ts'
import { execute, noRunCache } from '../../../flows/run/execute.ts'
import { listHiddenPaths } from '../../../flows/sandbox/start_sandbox.ts'
import { repairBenchmark } from '../../../flows/workspace/repair_benchmark.ts'
import { readTranscript, tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths, runPaths } from '../../../store/paths.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { listBenchmarks, readPlan, readRun, writeArtefact, writePlan } from '../../../store/store.ts'
import type { QuerySet } from '../queries/query_set.ts'
import type { RunAmounts, WholeRuns } from '../report/report.ts'
import { buildTriggers } from '../report/report.ts'
import type { AskedQuery, TriggerRunSource } from '../report/results.ts'
import { toTriggerRun } from '../report/results.ts'
import type { TriggerSettings } from './prepare_triggers.ts'

export interface TriggerMeasurement {
  plan: Plan
  set: QuerySet
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the measurement, absolute. */
  folder: string
  workspace: string
  sandbox: SandboxChoice
  wish: Pick<TriggerSettings, 'threshold' | 'concurrency' | 'passEnv' | 'limits' | 'budgets' | 'pace'>
}

/** Throws the abort reason if interrupted; completed runs are kept. */
export async function askQueries(asking: TriggerMeasurement, context: FlowContext): Promise<Triggers> {
  const stop = await runTriggerQueries(asking, context)
  const file = benchmarkPaths(asking.folder).triggers
  const made = await writeTriggerReport(asking, { file, stop }, context)
  const { complete, summary } = made
  const { folder } = asking
  context.emit({ type: 'triggers_written', folder, file, complete, passed: summary.passed, total: summary.total })
  return made
}

/** Executes the plan's missing runs; returns what stopped it early. */
export async function runTriggerQueries(
  asking: Omit<TriggerMeasurement, 'set'>,
  context: FlowContext,
): Promise<Stop | null> {
  const { plan, folder, workspace, sandbox, wish, skillFiles } = asking
  await writePlan(folder, plan, findSigner(context.env))
  await repairBenchmark(folder, plan, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(wish) }, context)
  await execute(
    {
      plan,
      folder,
      skillFiles,
      passEnv: wish.passEnv,
      hidden: listHiddenPaths(plan, workspace),
      sandbox,
      concurrency: wish.concurrency,
      limited,
      pace: wish.pace,
      ...noRunCache,
      ungraded: true,
      queue: createStartQueue(plan.runs, new Map()),
    },
    context,
  )
  context.signal.throwIfAborted()
  return limited?.stopped() ?? null
}

/** Writes triggers.json from the runs on disk. */
export async function writeTriggerReport(
  { plan, set, folder, workspace, wish }: Omit<TriggerMeasurement, 'skillFiles' | 'sandbox'>,
  { file, stop }: { file: string; stop: Stop | null },
  context: FlowContext,
): Promise<Triggers> {
  const value = buildTriggers({
    plan,
    queries: toAskedQueries(set),
    set: { path: set.path, sha256: set.sha256, format: set.format, drafts: countDrafts(set), warnings: plan.warnings },
    threshold: wish.threshold,
    runs: await readQueryRuns(folder, plan),
    basis: await readSavingBasis(workspace, plan),
    stopReason: readStop,
    stop,
    createdAt: context.now().toISOString(),
  })
  const cleaned = getRedactor(context.env).value(value)
  await writeArtefact(triggersSchema, file, cleaned)
  return cleaned
}

function countDrafts({ queries }: QuerySet): number {
  return queries.filter(({ draft }) => draft).length
}

export function toAskedQueries({ queries }: QuerySet): AskedQuery[] {
  return queries.map(({ number, id, query, shouldTrigger, split, note, draft }) => ({
    query_id: number,
    id,
    query,
    should_trigger: shouldTrigger,
    split,
    note,
    ...(draft && { draft: true as const }),
  }))
}

/** Keyed by query position, in run number order. */
async function readQueryRuns(folder: string, plan: Plan): Promise<Map<number, TriggerRunSource[]>> {
  const limit = pLimit(16)
  const all = await Promise.all(
    plan.runs.map((spec) => limit(async () => ({ spec, made: await readQueryRun(folder, spec) }))),
  )
  const byQuery = new Map<number, TriggerRunSource[]>()
  for (const { spec, made } of all) byQuery.set(spec.eval_id, [...(byQuery.get(spec.eval_id) ?? []), made])
  return byQuery
}

export async function readQueryRun(
  folder: string,
  { run_id, run_number, key }: Plan['runs'][number],
): Promise<TriggerRunSource> {
  const stored = await readRun(folder, run_id)
  // a run of another plan in this folder does not count
  const record = stored?.record.key === key ? stored.record : null
  const transcript = path.join(runPaths(folder, run_id).folder, 'transcript.jsonl')
  const events = record === null ? null : await readTranscript(transcript, record, () => {})
  return { run_id, run_number, record, events: events ?? [] }
}

/** From the newest suitable measurement, else the newest suitable benchmark, of this skill on this engine. */
async function readSavingBasis(workspace: string, plan: Plan): Promise<WholeRuns> {
  const measured = await readMeasuredRuns(workspace, plan)
  return { measured, benched: measured.length > 0 ? [] : await readBenchedRuns(workspace, plan) }
}

/** From measurements without early stopping. */
async function readMeasuredRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = tryReadArtefact(triggersSchema, benchmarkPaths(folder).triggers)
    if (other === null || other.options.stop_early || other.skill_name !== plan.skill.name) continue
    if (isSameEngine(other.engine, plan)) return other.results.flatMap(({ query_runs }) => query_runs)
  }
  return []
}

/** More runs do not improve the mean. */
const mostRuns = 200

async function readBenchedRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || other.skill.name !== plan.skill.name || !isSameEngine(other.options.engine, plan)) continue
    const runs = await readSkillRuns(folder, other, other.candidate_configuration)
    if (runs.some(({ outcome }) => outcome === 'triggered')) return runs
  }
  return []
}

async function readSkillRuns(folder: string, { runs, skill }: Plan, arm: Configuration): Promise<RunAmounts[]> {
  const asked = runs.filter(({ configuration }) => configuration === arm).slice(0, mostRuns)
  const made = await Promise.all(asked.map(async (spec) => ({ ...spec, stored: await readRun(folder, spec.run_id) })))
  return made.map(({ run_id, run_number, stored }) => {
    const record = stored?.record.status === 'completed' ? stored.record : null
    return toTriggerRun({ run_id, run_number, record, events: [] }, { skill: skill.name, stop: readStop })
  })
}

function isSameEngine({ name, model }: Plan['options']['engine'], { options: { engine } }: Plan): boolean {
  return name === engine.name && model === engine.model
}
