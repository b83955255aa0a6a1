/** Runs the queries of many skills round by round, and leaves out those that are decided. */
import pLimit from 'p-limit'
import type { Stop } from '../../../../schemas/limits.ts'
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { countQuery, findOpenQueries } from '../../../phases/4-report/triggers/all/count_queries.ts'
import { toMatrixRun } from '../../../phases/4-report/triggers/all/matrix_run.ts'
import type { TriggerRunSource } from '../../../phases/4-report/triggers/run_entry.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { writePlan } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { createStartQueue } from '../../history/start_order.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../../limits/limited_bench.ts'
import { execute, noRunCache } from '../../run/execute.ts'
import { listHiddenPaths } from '../../sandbox/start_sandbox.ts'
import { repairBenchmark } from '../../workspace/repair_benchmark.ts'
import { readQueryRun } from '../ask_queries.ts'
import type { AllTriggersRequest, PreparedAllTriggers } from './prepare_all_triggers.ts'

export interface RoundsRequest {
  prepared: PreparedAllTriggers
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the measurement, absolute. */
  folder: string
  sandbox: SandboxChoice
  wish: Pick<AllTriggersRequest, 'until' | 'concurrency' | 'passEnv' | 'limits' | 'budgets' | 'pace'>
}

export interface RoundsResult {
  /** Of the runs that were due, by query_id, in order of run number. */
  runs: Map<number, TriggerRunSource[]>
  stop: Stop | null
}

/**
 * What is due depends only on the runs on disk, so a resume goes on with the same rounds. plan.json has the runs that were due. Throws the
 * abort reason if interrupted; completed runs are kept.
 */
export async function askInRounds(request: RoundsRequest, context: FlowContext): Promise<RoundsResult> {
  const { prepared, folder, wish, sandbox, skillFiles } = request
  const { plan, workspace } = prepared
  await repairBenchmark(folder, plan, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(wish) }, context)
  const runs = new Map<number, TriggerRunSource[]>()
  const asked: RunSpec[] = []
  for (let round = 1; round <= plan.options.runs; round += 1) {
    const due = selectDue(plan, round, { runs, request })
    if (due.length === 0) break
    asked.push(...due)
    await writePlan(folder, { ...plan, runs: asked }, findSigner(context.env))
    context.emit({ type: 'trigger_round', round, runs: due.length })
    const block = { ...plan, runs: due }
    const { isHalted } = await execute(
      {
        plan: block,
        folder,
        skillFiles,
        passEnv: wish.passEnv,
        hidden: listHiddenPaths(block, workspace),
        sandbox,
        concurrency: wish.concurrency,
        limited: limited && { ...limited, queue: queueInPairs(due) },
        pace: wish.pace,
        ...noRunCache,
        ungraded: true,
        queue: createStartQueue(due, new Map()),
      },
      context,
    )
    context.signal.throwIfAborted()
    const answers = await addRuns(folder, due, { runs, prepared })
    if (isHalted || context.drain.aborted || answers === 0) break
  }
  return { runs, stop: limited?.stopped() ?? null }
}

function selectDue(
  plan: Plan,
  round: number,
  { runs, request }: { runs: RoundsResult['runs']; request: RoundsRequest },
): RunSpec[] {
  const inRound = plan.runs.filter(({ run_number }) => run_number === round)
  if (round === 1 || request.wish.until === 'all') return inRound
  const { queries, skills } = request.prepared
  const counted = queries.map((query) =>
    countQuery(
      query,
      (runs.get(query.query_id) ?? []).map((one) => toMatrixRun(one, query)),
    ),
  )
  const open = findOpenQueries(
    counted,
    skills.map(({ name }) => name),
  )
  return inRound.filter(({ eval_id }) => open.has(eval_id))
}

/** Returns how many have an answer. */
async function addRuns(
  folder: string,
  due: readonly RunSpec[],
  { runs, prepared }: { runs: RoundsResult['runs']; prepared: PreparedAllTriggers },
): Promise<number> {
  const limit = pLimit(16)
  const read = await Promise.all(
    due.map((spec) => limit(async () => ({ spec, made: await readQueryRun(folder, spec) }))),
  )
  const owners = new Map(prepared.queries.map((one) => [one.query_id, one.owners]))
  let answers = 0
  for (const { spec, made } of read) {
    const id = spec.eval_id
    runs.set(id, [...(runs.get(id) ?? []), made])
    const { outcome } = toMatrixRun(made, { query_id: id, owners: owners.get(id) ?? [] })
    if (outcome === 'answered') answers += 1
  }
  return answers
}
