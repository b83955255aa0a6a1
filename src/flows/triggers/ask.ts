/** Asks every query of a plan that has no answer yet, in a folder that is held, and writes triggers.json. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Stop } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { type Triggers, triggers as triggersSchema } from '../../../schemas/triggers.ts'
import type { WalkedFile } from '../../base/files.ts'
import { redactorFor } from '../../base/redact.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { readStop } from '../../engines/stop_at_read.ts'
import type { QuerySet } from '../../phases/1-plan/triggers/query_set.ts'
import { triggersOf } from '../../phases/4-report/triggers/report.ts'
import type { AskedQuery } from '../../phases/4-report/triggers/result.ts'
import type { MadeRun } from '../../phases/4-report/triggers/run_entry.ts'
import { readTranscript } from '../../store/damage.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { writePlanFile } from '../../store/plan_file.ts'
import { readRun, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { execute, uncached } from '../execute.ts'
import { openLimited, shareOf } from '../limited.ts'
import { mend } from '../mend.ts'
import { queueOf } from '../start_order.ts'
import { hiddenFrom } from '../start_sandbox.ts'
import type { AskingWish } from './prepare_triggers.ts'
import { savingBasis } from './saving_basis.ts'

export interface Asking {
  plan: Plan
  set: QuerySet
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the measurement, absolute. */
  folder: string
  workspace: string
  sandbox: SandboxChoice
  wish: Pick<AskingWish, 'threshold' | 'concurrency' | 'passEnv' | 'limits' | 'purses' | 'pace'>
}

/** Throws the abort reason when cut short; what was made until then is kept. */
export async function ask(asking: Asking, context: FlowContext): Promise<Triggers> {
  const stop = await makeRuns(asking, context)
  const file = benchmarkPaths(asking.folder).triggers
  const made = await report(asking, { file, stop }, context)
  const { complete, summary } = made
  const { folder } = asking
  context.emit({ type: 'triggers_written', folder, file, complete, passed: summary.passed, total: summary.total })
  return made
}

/** Makes the runs of the plan that are not there; gives what ended that early. */
export async function makeRuns(asking: Omit<Asking, 'set'>, context: FlowContext): Promise<Stop | null> {
  const { plan, folder, workspace, sandbox, wish, skillFiles } = asking
  await writePlanFile(folder, plan)
  await mend(folder, plan, context)
  using limited = await openLimited({ plan, folder, workspace, ...shareOf(wish) }, context)
  await execute(
    {
      plan,
      folder,
      skillFiles,
      passEnv: wish.passEnv,
      hidden: hiddenFrom(plan, workspace),
      sandbox,
      concurrency: wish.concurrency,
      limited,
      pace: wish.pace,
      ...uncached,
      ungraded: true,
      queue: queueOf(plan.runs, new Map()),
    },
    context,
  )
  context.signal.throwIfAborted()
  return limited?.stopped() ?? null
}

/** triggers.json from what is on disk, written to that file. */
export async function report(
  { plan, set, folder, workspace, wish }: Omit<Asking, 'skillFiles' | 'sandbox'>,
  { file, stop }: { file: string; stop: Stop | null },
  context: FlowContext,
): Promise<Triggers> {
  const value = triggersOf({
    plan,
    queries: askedOf(set),
    set: { path: set.path, sha256: set.sha256, format: set.format, drafts: draftsIn(set), warnings: plan.warnings },
    threshold: wish.threshold,
    runs: await madeRuns(folder, plan),
    basis: await savingBasis(workspace, plan),
    stopReason: readStop,
    stop,
    createdAt: context.now().toISOString(),
  })
  const cleaned = redactorFor(context.env).value(value)
  await writeArtefact(triggersSchema, file, cleaned)
  return cleaned
}

function draftsIn({ queries }: QuerySet): number {
  return queries.filter(({ draft }) => draft).length
}

export function askedOf({ queries }: QuerySet): AskedQuery[] {
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

/** By the place of the query, in the order of the run numbers. */
async function madeRuns(folder: string, plan: Plan): Promise<Map<number, MadeRun[]>> {
  const limit = pLimit(16)
  const all = await Promise.all(
    plan.runs.map((spec) => limit(async () => ({ spec, made: await madeRun(folder, spec) }))),
  )
  const byQuery = new Map<number, MadeRun[]>()
  for (const { spec, made } of all) byQuery.set(spec.eval_id, [...(byQuery.get(spec.eval_id) ?? []), made])
  return byQuery
}

async function madeRun(folder: string, { run_id, run_number, key }: Plan['runs'][number]): Promise<MadeRun> {
  const stored = await readRun(folder, run_id)
  // what lies there of another plan says nothing of this one
  const record = stored?.record.key === key ? stored.record : null
  const transcript = path.join(runPaths(folder, run_id).folder, 'transcript.jsonl')
  const events = record === null ? null : await readTranscript(transcript, record, () => {})
  return { run_id, run_number, record, events: events ?? [] }
}
