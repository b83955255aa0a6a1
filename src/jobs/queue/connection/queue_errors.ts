/** Turns errors of a queue client into Whetstone's words, and does not repeat them every second. */
import { errorMessage } from '../../../base/errors/error.ts'
import { isOutage } from './outage.ts'

/** Errors of BullMQ about jobs, and their meaning for the user of a worker. */
const words: readonly { fits: RegExp; said: string }[] = [
  {
    fits: /^could not renew lock for job/,
    said: 'the lock of a job was lost: another worker runs it now or will run it, so its result from here is refused',
  },
  {
    fits: /^(Missing lock|Lock mismatch) for job/,
    said: 'a late result was refused: the lock of its job was lost, so another worker runs it now or will run it',
  },
  {
    fits: /^Missing key for job/,
    said: 'a late result was refused: its job was removed, or the server lost it',
  },
]

const awayText = 'the queue server does not answer'
const repeatAfterMs = 30_000

export interface QueueErrorLog {
  hear(error: Error): void
  /** The connection is up (again). */
  back(): void
}

/** Reports the same error again after half a minute at the earliest; every error of an unavailable server counts as the same. */
export function createQueueErrorLog(tell: (message: string) => void): QueueErrorLog {
  const told = new Map<string, number>()
  return {
    hear(error) {
      const message = errorMessage(error)
      const isAway = isOutage(error)
      const said = isAway ? awayText : (words.find(({ fits }) => fits.test(message))?.said ?? message)
      const now = performance.now()
      if (now - (told.get(said) ?? -repeatAfterMs) < repeatAfterMs) return
      told.set(said, now)
      tell(isAway ? `${awayText}: ${message}` : said)
    },
    back() {
      if (told.delete(awayText)) tell('the queue server answers again')
    },
  }
}
