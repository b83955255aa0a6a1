/** What a queue client says goes wrong, in our words and not each second anew. */
import { messageOf } from '../../base/error.ts'
import { isOutage } from './outage.ts'

/** What BullMQ says of jobs, and what it means to who watches a worker. */
const words: readonly { fits: RegExp; said: string }[] = [
  {
    fits: /^could not renew lock for job/,
    said: 'the lock of a job was lost: another worker has it, or will; what is made of it here is refused',
  },
  {
    fits: /^(Missing lock|Lock mismatch) for job/,
    said: 'a late result was refused: the lock of its job was lost, another worker has it, or will',
  },
  {
    fits: /^Missing key for job/,
    said: 'a late result was refused: its job was taken away, or the server has lost it',
  },
]

const away = 'the queue server is away'
const againMs = 30_000

export interface Trouble {
  hear(error: Error): void
  /** It is connected (again). */
  back(): void
}

/** The same trouble is told again after half a minute at the earliest, and so is a server that is away, whatever is heard of it. */
export function troubleTold(tell: (message: string) => void): Trouble {
  const told = new Map<string, number>()
  return {
    hear(error) {
      const message = messageOf(error)
      const isAway = isOutage(error)
      const said = isAway ? away : (words.find(({ fits }) => fits.test(message))?.said ?? message)
      const now = performance.now()
      if (now - (told.get(said) ?? -againMs) < againMs) return
      told.set(said, now)
      tell(isAway ? `${away}: ${message}` : said)
    },
    back() {
      if (told.delete(away)) tell('the queue server is back')
    },
  }
}
