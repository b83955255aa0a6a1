/** The first contact with a queue server: it answers within a moment, or a person should know. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, UserError } from '../../base/error.ts'

const patienceMs = 5000

interface Reachable {
  waitUntilReady(): Promise<unknown>
  close(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Closes it again. Throws UserError that says where nobody answered, and the last thing that was heard. */
export async function untilReached(place: string, one: Reachable): Promise<void> {
  let last: Error | null = null
  one.on('error', (error) => {
    last = error
  })
  const timer = new AbortController()
  const late = sleep(patienceMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const)
  try {
    const end = await Promise.race([one.waitUntilReady().then(() => 'ready' as const), late])
    if (end === 'late') throw last ?? new Error(`no answer within ${patienceMs / 1000} s`)
  } catch (error) {
    throw new UserError(
      `--queue ${place}: ${messageOf(error) || 'no connection'}`,
      'is the server running, and are address, user and password right?',
    )
  } finally {
    timer.abort()
    void Promise.resolve(one.close()).catch(() => {})
  }
}
