/** Opens and locks the folder for a plan: the unfinished one of this user, else a new one; and describes its cases there. */
import { readdir, rm } from 'node:fs/promises'
import type { Plan } from '../../../schemas/plan.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { checkText } from '../../phases/3-judge/checks/check_text.ts'
import { takeLease } from '../../store/lease/lease.ts'
import type { Collection } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { createBenchmark, isOwnPlan, listBenchmarks, readPlan, writeMetadata } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchmarkLock, lockBenchmark, reportForeignResults } from './benchmark_lock.ts'
import { recognizeDamagedBenchmark } from './repair_benchmark.ts'

interface Collected {
  workspace: string
  collection: Collection
  isComplete(folder: string): boolean | Promise<boolean>
}

export interface BenchFolderRequest extends Collected {
  /** The folder to resume; null: there is none, or a new one is requested. */
  unfinished: string | null
  /** The user's alternative if another process has locked it; absent: only to wait. */
  otherwise?: string
}

interface WantedPlan {
  plan: Plan
  /** Absent: the same id is enough. */
  isSame?: (other: Plan) => boolean
}

/** The newest folder with this plan of this user if it is unfinished; null: there is none. Reports unfinished ones of others. */
export async function findUnfinished(
  { workspace, collection, isComplete }: Collected,
  { plan, isSame = ({ plan_id }) => plan_id === plan.plan_id }: WantedPlan,
  context: FlowContext,
): Promise<string | null> {
  const signer = findSigner(context.env)
  for (const folder of await listBenchmarks(workspace, collection)) {
    const other = await readPlan(folder).catch(() => null)
    const hasEnded = () => isComplete(folder)
    const isIt = other === null ? await recognizeDamagedBenchmark(folder, plan, { hasEnded, context }) : isSame(other)
    if (!isIt) continue
    const isOpen = !(await hasEnded())
    if (other === null || isOwnPlan(folder, signer)) return isOpen ? folder : null
    if (isOpen) reportForeignResults({ place: folder, what: 'an unfinished benchmark' }, context)
  }
  return null
}

/** Throws UserError when another process works on it. */
export async function openBenchFolder(
  wanted: BenchFolderRequest,
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock }> {
  const { workspace, collection, unfinished } = wanted
  if (unfinished !== null) {
    const lock = await lockBenchmark(unfinished, context, wanted.otherwise)
    if (!(await wanted.isComplete(unfinished))) return { folder: unfinished, lock }
    await lock[Symbol.asyncDispose]() // it was completed in the meantime
  }
  await clearAbandonedBenchmarks(workspace, context.signal, collection)
  const folder = await createBenchmark(workspace, context.now(), collection)
  return { folder, lock: await lockBenchmark(folder, context) }
}

/** Removes them, except one that another process has just created and locked. */
async function clearAbandonedBenchmarks(
  workspace: string,
  signal: AbortSignal,
  collection: Collection = 'benchmarks',
): Promise<void> {
  for (const folder of await listBenchmarks(workspace, collection)) {
    if (!(await isBare(folder))) continue
    const lease = await takeLease(folder, { signal })
    if ('heldBy' in lease) continue
    await using _ = lease
    if (await isBare(folder)) await rm(folder, { recursive: true, force: true })
  }
}

/** True if it contains only leases and temporary files. */
async function isBare(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => ['unreadable'])
  return names.every((name) => name.startsWith('.'))
}

/** Covers every case with runs in the plan. `env`: the user's, whose credentials are redacted. */
export function describeCases(folder: string, plan: Plan, env: FlowContext['env']): void {
  const redactor = getRedactor(env)
  const runIds = new Map<number, string[]>(plan.cases.map(({ eval_id }) => [eval_id, []]))
  for (const { eval_id, run_id } of plan.runs) runIds.get(eval_id)?.push(run_id)
  for (const { eval_id, eval_key, eval_name, prompt, turns, expectations, checks } of plan.cases) {
    const assertions = [...expectations.map(({ text }) => text), ...checks.map(checkText)]
    const texts = redactor.value({
      eval_name,
      prompt,
      ...(turns && { turns: turns.map((one) => one.prompt) }),
      assertions,
    })
    writeMetadata(folder, runIds.get(eval_id) ?? [], { eval_id, ...texts, eval_key })
  }
}
