/** Pages of many benchmarks or evals, which features write: an index of a folder, a collection. Without such a feature there is none. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { FlowContext } from './flow_context.ts'

export interface IndexSteps {
  /** Rewrites the index of a folder of workspaces (absolute) and returns its page; null: it has no workspaces. */
  refreshIndex(folder: string, context: FlowContext): Promise<string | null>
  /** Rewrites each index above this benchmark (absolute) that has a row for it. */
  refreshParentIndexes(folder: string, benchmark: Benchmark, context: FlowContext): Promise<void>
  /** Writes a list of evals, newest first, and a page for each of the newest; returns its path. `pageOf` creates one eval's page. */
  writeEvalIndex(folders: readonly [string, ...string[]], pageOf: (folder: string) => Promise<unknown>): Promise<string>
}

const rows: Record<string, () => Promise<IndexSteps>> = {}

/** Adds those of a feature; again changes nothing. */
export function addIndexSteps(more: Readonly<typeof rows>): void {
  Object.assign(rows, more)
}

/** null: no feature writes an index. */
export async function loadIndexSteps(): Promise<IndexSteps | null> {
  const [load] = Object.values(rows)
  return (await load?.()) ?? null
}

/** Writes the page of a folder of benchmarks, and says what a terminal shows. */
type WriteCollection = (folder: string, context: FlowContext) => Promise<{ page: string; text: string }>

const collections: Record<string, () => Promise<WriteCollection>> = {}

/** Adds those of a feature; again changes nothing. */
export function addCollectionPages(more: Readonly<typeof collections>): void {
  Object.assign(collections, more)
}

export async function loadCollectionPage(): Promise<WriteCollection | null> {
  const [load] = Object.values(collections)
  return (await load?.()) ?? null
}
