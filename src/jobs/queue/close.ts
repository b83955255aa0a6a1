/** The end of a connection: a server that is away, or just comes back, keeps nobody waiting for ever. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when it is closed, or has not managed to within so many milliseconds. */
export async function closeWithin(close: () => Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([close().catch(() => {}), late])
  timer.abort()
}
