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

/** Names that are a configuration's as they stand (lower case, separators as _), with a number at the end or without. */
const wholeNames: ReadonlySet<string> = new Set([
  ...['without', 'no_skill', 'noskill', 'vanilla', 'bare', 'baseline', 'control', 'before'],
  ...['old', 'old_skill', 'oldskill', 'previous', 'original', 'with', 'current'],
  ...['new', 'new_skill', 'newskill', 'candidate', 'treatment', 'after', 'improved'],
])

/** What else tells a configuration, the surest first: a case may be called `original-file`, `new-skill-from-scratch` or `fill-with-skill`. */
const doubts: readonly RegExp[] = [
  /^with(?:out)?_?skills?(?![a-z\d])/,
  /(?<![a-z\d])with(?:out)?_?skills?(?![a-z\d])/,
  /^(?:no|old|new)_?skill|^(?:baseline|previous|original|current|improved|candidate).*skill/,
  /^(?:baseline|previous|original|current|improved|candidate)/,
]

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

/** Whether a folder of this name may be a configuration. */
export function isConfiguration(name: string): boolean {
  return rankOf(name) !== unknown
}

/** The one of a path's folders that is the configuration: the surest name, of several the last. Null: none has a known name. */
export function configurationAmong(names: readonly string[]): string | null {
  const known = names.filter(isConfiguration)
  const least = Math.min(...known.map(doubtOf))
  return known.findLast((name) => doubtOf(name) === least) ?? null
}

function doubtOf(name: string): number {
  const plain = plainName(name)
  const found = wholeNames.has(plain.replace(/\d+$/, '')) ? 0 : doubts.findIndex((pattern) => pattern.test(plain))
  return found < 0 ? doubts.length : found
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
