/** Which configuration is which: the candidate and the baseline among the names found. */

/**
 * How much of a candidate a name is, by the first pattern that fits (lower case, separators as _). The highest is the
 * candidate, the lowest the baseline; a name that fits none lies between.
 */
const ranks: readonly [pattern: RegExp, rank: number][] = [
  [/without_?skill|^no_?skill|^without$|^vanilla$|^bare$/, 0],
  [/^baseline|^control$|^before$/, 1],
  [/old_?skill|^old$|^previous|^original/, 2],
  [/new_?skill|^new$|^candidate|^treatment$|^after$|^improved/, 5],
  [/with_?skill|^with$|^current/, 4],
]
const unknown = 3

/** Two arms, or one (`baseline` null). `note`: what a reader must know of the choice; null: the names say it. */
export interface ArmsFound {
  candidate: string
  baseline: string | null
  note: string | null
  /** Further configurations, in name order; in no number. */
  others: string[]
}

function rankOf(name: string): number {
  return ranks.find(([pattern]) => pattern.test(plainName(name)))?.[1] ?? unknown
}

/** Names that differ in case and separators only have this in common. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-\s]+/g, '_')
}

/** Whether the name begins as a configuration's may, and as a case's may too (`original-file`), or has one's inside (`create-new-skill`). */
export function isLoose(name: string): boolean {
  const plain = plainName(name)
  if (/skill/.test(plain))
    return !/^(?:with|without|no|old|new)_?skill|^(?:previous|original|current|improved|baseline|candidate)/.test(plain)
  return /^(?:baseline|previous|original|candidate|improved|current)_/.test(plain)
}

/** Whether a folder of this name is a configuration for sure. */
export function isConfiguration(name: string): boolean {
  return rankOf(name) !== unknown
}

/** `names` must hold one at least. Equal ranks come in name order, the first as the candidate. */
export function chooseArms(names: readonly string[]): ArmsFound {
  const byRank = [...new Set(names)].sort((a, b) => rankOf(b) - rankOf(a) || (a < b ? -1 : 1))
  const [candidate = '', ...rest] = byRank
  const lowest = Math.min(...rest.map(rankOf))
  const baseline = rest.find((name) => rankOf(name) === lowest) ?? null
  const others = rest.filter((name) => name !== baseline).sort()
  const tie = baseline !== null && rankOf(candidate) === rankOf(baseline)
  return {
    candidate,
    baseline,
    others,
    note: tie
      ? `The names ${candidate} and ${baseline} do not say which is the baseline: in name order, ${candidate} is taken as the candidate (choose with --candidate and --baseline)`
      : null,
  }
}
