/** Computes how long to pause an account after a refusal. */

export interface PauseBackoff {
  /** The first pause without Retry-After, in milliseconds; it doubles with each episode without a served request. */
  baseMs: number
  /** The longest of these pauses, in milliseconds. */
  capMs: number
  /** 0…1 */
  random: () => number
}

export interface RateRefusal {
  /** Episodes of refusals since a request was served, this one included. */
  episodes: number
  /** It begins an episode. */
  isNew: boolean
  retryAfterMs: number | null
}

/** Maximum milliseconds added to a server's Retry-After, so that requests do not all arrive at the same moment. */
const mostJitterMs = 250

/**
 * Milliseconds. Respects a server's Retry-After, with a small growing jitter on top. Without one it does not pause while other
 * requests are served, because the smaller limit is enough.
 */
export function pauseAfterRefusal(
  { episodes, isNew, retryAfterMs }: RateRefusal,
  { baseMs, capMs, random }: PauseBackoff,
): number {
  if (retryAfterMs !== null) {
    const jitter = Math.min(mostJitterMs, (baseMs / 8) * 2 ** Math.min(episodes, 20))
    return Math.ceil(retryAfterMs + (isNew ? random() * jitter : 0))
  }
  if (!isNew || episodes < 2) return 0
  const wait = Math.min(capMs, baseMs * 2 ** Math.min(episodes - 2, 30))
  return Math.ceil(wait * (0.5 + random() / 2))
}
