/** Where the work of a plan lies: the folder in which it was left unfinished, else a new one; nobody else writes there meanwhile. */
import type { Collection } from '../store/paths.ts'
import { createBenchmark } from '../store/store.ts'
import { clearAbandoned } from './abandoned.ts'
import type { FlowContext } from './context.ts'
import { type Held, holdBenchmark } from './hold.ts'

export interface Wanted {
  workspace: string
  collection: Collection
  /** What to go on with; null: nothing, or something new is wanted. */
  unfinished: string | null
  isComplete(folder: string): boolean | Promise<boolean>
  /** What a user may do where another process is at work there; absent: nothing but wait. */
  otherwise?: string
}

/** Throws UserError when another process works on it. */
export async function openFolder(wanted: Wanted, context: FlowContext): Promise<{ folder: string; held: Held }> {
  const { workspace, collection, unfinished } = wanted
  if (unfinished !== null) {
    const held = await holdBenchmark(unfinished, context, wanted.otherwise)
    if (!(await wanted.isComplete(unfinished))) return { folder: unfinished, held }
    await held[Symbol.asyncDispose]() // it was completed just now
  }
  await clearAbandoned(workspace, context.signal, collection)
  const folder = await createBenchmark(workspace, context.now(), collection)
  return { folder, held: await holdBenchmark(folder, context) }
}
