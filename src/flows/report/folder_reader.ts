/** How benchmarks in folders without plan.json are read: by a feature; without it they are not. */
import { UserError } from '../../base/errors/error.ts'
import type { FlowContext } from '../flow_context.ts'
import type { SummarizedBenchmark } from './summarize.ts'

/** Which configuration is which in another tool's folder; null: by their names. */
export interface ArmsAsked {
  candidate: string | null
  baseline: string | null
}

export interface FolderRequest extends ArmsAsked {
  /** Overwrite the other tool's reports. */
  force: boolean
  /** False: only benchmark.json and benchmark.md. Absent: the page too. */
  page?: boolean
}

export type ReadBenchmark = Pick<SummarizedBenchmark, 'benchmark' | 'folders' | 'prompts'>

/** Folders are absolute; throws UserError where there are no runs. */
export interface FolderReader {
  /** Writes the reports into the folder. */
  aggregateFolder(folder: string, request: FolderRequest, context: FlowContext): Promise<SummarizedBenchmark>
  readFolder(folder: string, asked: ArmsAsked, context: FlowContext): Promise<ReadBenchmark>
  hasGradedRuns(folder: string): Promise<boolean>
}

const refuse = async (folder: string) => {
  throw new UserError(`${folder}: not a Whetstone benchmark (contains plan.json)`, 'pass the folder of a benchmark')
}
const noReader: FolderReader = { aggregateFolder: refuse, readFolder: refuse, hasGradedRuns: async () => false }

const readers: Record<string, () => Promise<FolderReader>> = {}

/** Adds that of a feature; again changes nothing. */
export function addFolderReaders(more: Readonly<typeof readers>): void {
  Object.assign(readers, more)
}

export async function loadFolderReader(): Promise<FolderReader> {
  const [load] = Object.values(readers)
  return (await load?.()) ?? noReader
}
