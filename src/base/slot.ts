/** The words between who sends requests to a provider's account and who limits them. */

/** Whose limit it is: one for each provider, address and credential. */
export interface AccountId {
  provider: string
  baseUrl: string
  /** The credential itself. */
  secret: string
}

/** One quota of an account: requests, or tokens of a kind. */
export interface Quota {
  remaining: number
  /** The whole of it; null: not said. */
  limit: number | null
  /** Milliseconds until it is whole again. */
  resetMs: number
}

/** What a server's headers say is left. */
export interface Allowance {
  requests: Quota | null
  tokens: readonly Quota[]
}

/** How a request ended: answered, refused for the account's limit (429), or anything else, which says nothing of the limit. */
export type SlotEnd = { as: 'served' } | { as: 'refused'; retryAfterMs: number | null } | { as: 'failed' }
