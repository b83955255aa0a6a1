/** How the alpha of a session is divided among its candidates, and each candidate's among its interim analyses. */

/** The most sessions, as a share, that accept a version that is not better than the one it replaces, however many are tried. */
export const sessionAlpha = 0.05

/** The smallest share of the remaining alpha that the next candidate gets. */
const leastShare = 0.3

/**
 * The alpha of the next candidate that reaches validation. A candidate that was refused or rejected before validation spends nothing. One
 * that won returns its alpha (fallback procedure, Wiens and Dmitrienko 2005). So until the first false win only candidates that did not win
 * are charged, never more than the session's alpha.
 */
export function candidateAlpha({ spent, left }: { spent: number; left: number }): number {
  return Math.max(0, sessionAlpha - spent) * Math.max(1 / Math.max(1, left), leastShare)
}

/** Interim analyses that may accept: after this share of the blocks, with this share of the candidate's alpha. The shares add up to 1. */
const looks = [
  { at: 0.3, share: 0.2 },
  { at: 0.6, share: 0.3 },
  { at: 1, share: 0.5 },
]

/** The alpha of the analysis after this many blocks; 0: it can't accept. */
export function lookAlpha(alpha: number, blocks: number, planned: number): number {
  const shares = looks.filter(({ at }) => Math.ceil(at * planned) === blocks).map(({ share }) => share)
  return alpha * shares.reduce((sum, one) => sum + one, 0)
}
