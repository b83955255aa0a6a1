/** The types shared by senders of requests to a provider's account and the rate limiter. */

/** The owner of a rate limit: one for each provider, address and credential. */
export interface AccountId {
  provider: string
  baseUrl: string
  /** The credential itself. */
  secret: string
  /** Requests at a time, if the server says; absent: found by trying. */
  slots?: number
}

/** One quota of an account: requests, or tokens of a kind. */
export interface Quota {
  remaining: number
  /** The whole quota; null: not reported. */
  limit: number | null
  /** Milliseconds until it is full again. */
  resetMs: number
}

/** The rest of each quota, from a server's headers. */
export interface Allowance {
  requests: Quota | null
  tokens: readonly Quota[]
}

/** Why a piece of work waits. */
export interface Wait {
  why: string
  /** Milliseconds until the end that the provider named; null: it named none, or that time has passed. */
  leftMs: () => number | null
}

/** A run or a judge, as the wait limit sees it. */
export interface WatchedWork {
  /** It sends a request: from this point at the latest it is working. */
  start: () => void
  /** It waits until the returned function is called. */
  wait: (wait: Wait) => () => void
  /** It waits, whatever it tries, until an answer arrives. */
  block: (wait: Wait) => void
  /** Bytes of an answer arrive: it does not wait; the end of the answer shows whether it makes progress. */
  unblock: () => void
  /** It got an answer, or did something with it. */
  progress: () => void
}

/** A wait that ends after this many milliseconds, as the server named it; null: it named none. */
export function createWait(why: string, namedMs: number | null, now = () => performance.now()): Wait {
  const until = namedMs === null ? null : now() + namedMs
  return { why, leftMs: () => (until === null || until <= now() ? null : until - now()) }
}

/** How a request ended: answered, refused for the account's limit (429), or failed, which says nothing about the limit. */
export type SlotEnd = { as: 'served' } | { as: 'refused'; retryAfterMs: number | null } | { as: 'failed' }
