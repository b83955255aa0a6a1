/** How long an account is left alone after a refusal. */

export interface Backoff {
  /** The first wait without a word of the server, in milliseconds; it doubles with each episode in which nothing was served. */
  baseMs: number
  /** The longest of these. */
  capMs: number
  /** 0…1 */
  random: () => number
}

export interface Refusal {
  /** Episodes of refusals since a request was served, this one included. */
  episodes: number
  /** It opens an episode. */
  isNew: boolean
  retryAfterMs: number | null
}

/** At most so much on top of what a server asked for, that not all come at the same moment. */
const mostJitterMs = 250

/**
 * Milliseconds. A server's wish is kept, with a little on top that grows. Without one nothing is paused as long as others are
 * served: the smaller limit is answer enough.
 */
export function pauseFor({ episodes, isNew, retryAfterMs }: Refusal, { baseMs, capMs, random }: Backoff): number {
  if (retryAfterMs !== null) {
    const jitter = Math.min(mostJitterMs, (baseMs / 8) * 2 ** Math.min(episodes, 20))
    return Math.ceil(retryAfterMs + (isNew ? random() * jitter : 0))
  }
  if (!isNew || episodes < 2) return 0
  const wait = Math.min(capMs, baseMs * 2 ** Math.min(episodes - 2, 30))
  return Math.ceil(wait * (0.5 + random() / 2))
}
