/** Runs a document's reader in a worker thread with limits of time and memory. */
import { Worker } from 'node:worker_threads'
import type * as z from 'zod'
import { awaitWorkerReply, type BoundedResult } from '../../../base/process/time_limited_worker.ts'
import { type DocumentFormat, listReaderPackages } from './document_formats.ts'

const limits = { ms: 30_000, megabytes: 1024 }

export interface DocumentJob {
  /** Absolute. */
  file: string
  format: DocumentFormat
  /** sheets: of workbooks only. */
  want: 'text' | 'sheets'
}

/** Reads that part and parses it with `schema`. `error`: why it can't be read. Rejects only when aborted. */
export async function runDocumentReader<S extends z.ZodType>(
  job: DocumentJob,
  schema: S,
  signal: AbortSignal,
): Promise<BoundedResult<z.infer<S>>> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./readers/worker.mjs', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
    workerData: { ...job, packages: listReaderPackages(job.format) },
    // what a library prints is not for the user
    stdout: true,
    stderr: true,
  })
  try {
    const end = await awaitWorkerReply(worker, signal, { longestMs: limits.ms, clockStart: 'online' })
    return 'error' in end ? end : { value: schema.parse(end.value) }
  } finally {
    await worker.terminate()
  }
}
