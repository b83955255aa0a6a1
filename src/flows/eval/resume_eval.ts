/** Resumes an interrupted eval: runs that ended for good are not repeated. */
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { isOwnRun } from '../../store/signing/own_runs.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import { readPlan, readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { BenchmarkLock } from '../workspace/benchmark_lock.ts'
import { findUnfinished, openBenchFolder } from '../workspace/open_benchmark.ts'
import type { PreparedEval } from './eval_request.ts'

export interface OpenedEval {
  folder: string
  lock: BenchmarkLock
  /** ISO 8601: the time of the first start. */
  startedAt: string
  /** Seconds of earlier starts, as far as they recorded them. */
  secondsBefore: number
  /** Ids of runs that failed for good: their verdict is fail, and they are not repeated. */
  settled: ReadonlySet<string>
}

/** Locks the newest unfinished eval of the same plan, else a new one. Throws UserError when another process works on it. */
export async function openEval(
  { plan, workspace }: Pick<PreparedEval, 'plan' | 'workspace'>,
  fresh: boolean,
  context: FlowContext,
): Promise<OpenedEval> {
  const of = {
    ...{ workspace, collection: 'evals' as const },
    isComplete: (folder: string) => isEvalFinished(readEval(folder), plan),
  }
  const unfinished = fresh
    ? null
    : await findUnfinished(of, { plan, isSame: (other) => isSamePlan(other, plan) }, context)
  const otherwise = ', or start another one with --fresh'
  const { folder, lock } = await openBenchFolder({ ...of, unfinished, otherwise }, context)
  const isNew = folder !== unfinished
  const earlier = isNew ? null : readEval(folder)
  const old = isNew ? null : await readPlan(folder).catch(() => null)
  const startedAt = earlier?.started_at ?? old?.created_at ?? plan.created_at
  const settled =
    earlier === null
      ? new Set<string>()
      : await readFinalFailures(folder, { earlier, plan, signer: findSigner(context.env) })
  return { folder, lock, startedAt, secondsBefore: earlier?.duration_seconds ?? 0, settled }
}

function isSamePlan(one: Plan, other: Plan): boolean {
  return one.plan_id === other.plan_id && one.suite.path === other.suite.path && one.suite.format === other.suite.format
}

function readEval(folder: string): EvalResult | null {
  return tryReadArtefact(evalResult, path.join(folder, 'eval.json'))
}

/** Nothing more can be decided: skipped cases can't run here or have no criteria. */
export function isEvalFinished(result: EvalResult | null, { cases, runs }: Plan): boolean {
  if (result === null || isLogUnwritten(result)) return false
  const planned = new Set(runs.map(({ eval_id }) => eval_id))
  const criteria = new Map(cases.map((one) => [one.eval_id, one.checks.length + one.expectations.length]))
  return result.cases.every(
    ({ eval_id, verdict, run }) =>
      verdict !== 'skip' || !planned.has(eval_id) || (run !== null && criteria.get(eval_id) === 0),
  )
}

/** Whether the format's own log could not be written, so that the eval is incomplete. */
export function isLogUnwritten({ golden }: EvalResult): boolean {
  return golden?.unwritten !== undefined
}

async function readFinalFailures(
  folder: string,
  { earlier: { cases }, plan: { runs }, signer }: { earlier: EvalResult; plan: Plan; signer: ResultSigner },
): Promise<Set<string>> {
  const keys = new Map(runs.map(({ run_id, key }) => [run_id, key]))
  const failed = cases.flatMap(({ verdict, run }) => (verdict === 'fail' && run !== null ? [run] : []))
  const stored = await Promise.all(failed.map(async (run) => ({ run, made: await readRun(folder, run) })))
  return new Set(
    stored.flatMap(({ run, made }) =>
      made?.record.status === 'failed' && made.record.key === keys.get(run) && isOwnRun(folder, run, signer)
        ? [run]
        : [],
    ),
  )
}
