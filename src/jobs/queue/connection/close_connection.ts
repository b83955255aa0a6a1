/** Closes connections within a time limit, even when the server is unavailable or just returning. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when it is closed, or after this many milliseconds. */
export async function closeOrTimeOut(close: () => Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([close().catch(() => {}), late])
  timer.abort()
}

/** Resolves when the work is done, or this many milliseconds after the signal is aborted; rejects as the work does until then. */
export async function awaitOrTimeOut(
  work: Promise<unknown>,
  { signal, ms }: { signal: AbortSignal; ms: number },
): Promise<void> {
  const over = new AbortController()
  const late = async () => {
    if (!signal.aborted) await once(signal, 'abort', { signal: over.signal })
    await sleep(ms, undefined, { signal: over.signal })
  }
  try {
    await Promise.race([work, late().catch(() => {})])
  } finally {
    over.abort()
  }
}
