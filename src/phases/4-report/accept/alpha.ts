/** The error of a session, spread over the candidates that may be tried, and of each over its looks. */

/** At most this share of sessions takes a version that is no better than the one it replaces, however many are tried. */
export const sessionAlpha = 0.05

/** The least share of what is left that the next candidate gets. */
const leastShare = 0.3

/**
 * What the next candidate that reaches validation may spend, of what is not spent yet. A candidate that was refused or rejected
 * before validation has spent nothing, and one that won gives back what it was given (the fallback procedure of Wiens and
 * Dmitrienko 2005): up to the first wrong win only candidates that did not win were charged, never more than the session's error.
 */
export function alphaFor({ spent, left }: { spent: number; left: number }): number {
  return Math.max(0, sessionAlpha - spent) * Math.max(1 / Math.max(1, left), leastShare)
}

/** Looks that may accept: at this share of the blocks, with this share of the candidate's error. They add up to 1. */
const looks = [
  { at: 0.3, share: 0.2 },
  { at: 0.6, share: 0.3 },
  { at: 1, share: 0.5 },
]

/** What a look after so many blocks may spend; 0: it may accept nothing. */
export function alphaAt(alpha: number, blocks: number, planned: number): number {
  const shares = looks.filter(({ at }) => Math.ceil(at * planned) === blocks).map(({ share }) => share)
  return alpha * shares.reduce((sum, one) => sum + one, 0)
}
