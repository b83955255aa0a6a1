/** Opens and locks the folder for a plan: the unfinished one, else a new one. */
import type { Collection } from '../../store/paths.ts'
import { createBenchmark } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { clearAbandonedBenchmarks } from './abandoned_folders.ts'
import { type BenchmarkLock, lockBenchmark } from './benchmark_lock.ts'

export interface BenchFolderRequest {
  workspace: string
  collection: Collection
  /** The folder to resume; null: there is none, or a new one is requested. */
  unfinished: string | null
  isComplete(folder: string): boolean | Promise<boolean>
  /** The user's alternative if another process has locked it; absent: only to wait. */
  otherwise?: string
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
