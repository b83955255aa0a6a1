/** Makes one call to a batch API; its failure is a value. */
import { type SdkErrors, toEngineError } from '../tool_loop/sdk_error.ts'
import type { BatchReply } from './batch_api.ts'

export interface BatchCall<T> {
  work: () => Promise<T>
  signal: AbortSignal
  /** The server's address, for messages. */
  url: string
  errors: SdkErrors
}

/** Rejects only when aborted. */
export async function attemptBatchCall<T>({ work, signal, url, errors }: BatchCall<T>): Promise<BatchReply<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    signal.throwIfAborted()
    const isGone = error instanceof errors.APIError && error.status === 404
    return { ok: false, error: toEngineError(error, url, errors), isGone }
  }
}
