/** Which configuration is which: the candidate and the baseline among the names found. */

/**
 * How much of a candidate a name is, by the first pattern that fits (lower case, separators as _). The highest is the
 * candidate, the lowest the baseline; a name that fits none lies between.
 */
const ranks: readonly [pattern: RegExp, rank: number][] = [
  [/without_?skill|^no_?skill|^without$|^vanilla$|^bare$|^(?:skills?_)?disabled$|^skills?_off$/, 0],
  [/^baseline|^control$|^before$/, 1],
  [/old_?skill|^old$|^previous|^original/, 2],
  [/new_?skill|^new$|^candidate|^treatment$|^after$|^improved/, 5],
  [/with_?skill|^with$|^current|^(?:skills?_)?enabled$|^skills?_on$/, 4],
]
/** Words that tell two configurations apart; too common in the names of cases to tell a configuration. */
const weakRanks: readonly [pattern: RegExp, rank: number][] = [
  [/(?:^|_)(?:disabled|off|none)$/, 0],
  [/(?:^|_)before(?:_|$)/, 1],
  [/(?:^|_)(?:old|older|legacy|prior|prev|earlier)(?:_|$)/, 2],
  [/(?:^|_)(?:new|newer|latest|updated|revised|enhanced|optimi[sz]ed|after)(?:_|$)/, 5],
  [/(?:^|_)(?:enabled|on)$/, 4],
]
const unknown = 3

/** Names that are a configuration's as they stand (lower case, separators as _), with a number at the end or without. */
const wholeNames: ReadonlySet<string> = new Set([
  ...['without', 'no_skill', 'noskill', 'vanilla', 'bare', 'baseline', 'control', 'before'],
  ...['old', 'old_skill', 'oldskill', 'previous', 'original', 'with', 'current'],
  ...['new', 'new_skill', 'newskill', 'candidate', 'treatment', 'after', 'improved'],
  ...['enabled', 'disabled', 'skill_enabled', 'skill_disabled', 'skill_on', 'skill_off'],
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

function knownRank(name: string): number | null {
  return ranks.find(([pattern]) => pattern.test(plainName(name)))?.[1] ?? null
}

function rankOf(name: string): number {
  return knownRank(name) ?? weakRanks.find(([pattern]) => pattern.test(plainName(name)))?.[1] ?? unknown
}

/** Names that differ in case and separators only have this in common. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-\s]+/g, '_')
}

/** Whether a folder of this name may be a configuration. */
export function isConfiguration(name: string): boolean {
  return knownRank(name) !== null
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

const versionWord = /(?:^|_)(?:v|ver|version|iter|iteration|rev|revision|round|release)_?(\d+(?:[._]\d+)*)(?=_|$)/

/** The version that a name ends in or holds (none: []), and what is left of the name: only names with the same rest are versions of one thing. */
function versionOf(name: string): { stem: string; version: number[] } {
  const plain = plainName(name)
  const version = versionWord.exec(plain)?.[1]?.split(/[._]/).map(Number) ?? []
  return { stem: plain.replace(versionWord, ''), version }
}

/** Above 0: `a` is the newer. A part that is missing is 0, and a name without a version comes before all that have one. */
function compareVersions(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return a.length - b.length
  const places = Array.from({ length: Math.max(a.length, b.length) }, (_, at) => (a[at] ?? 0) - (b[at] ?? 0))
  return places.find((difference) => difference !== 0) ?? 0
}

/** By rank, then by version (of the same stem), the candidate first; then in name order. */
function byClaim(a: string, b: string): number {
  const [one, other] = [versionOf(a), versionOf(b)]
  if (rankOf(a) !== rankOf(b)) return rankOf(b) - rankOf(a)
  if (one.stem !== other.stem) return one.stem < other.stem ? -1 : 1
  return compareVersions(other.version, one.version) || (a < b ? -1 : 1)
}

/** Of those of the lowest rank the lowest version; versions of the candidate before others. */
function baselineAmong(rest: readonly string[], candidate: string): string | null {
  const lowest = Math.min(...rest.map(rankOf))
  const lowly = rest.filter((name) => rankOf(name) === lowest)
  const own = lowly.filter((name) => versionOf(name).stem === versionOf(candidate).stem)
  const [first] = own.length > 0 ? own : lowly
  return lowly.findLast((name) => first !== undefined && versionOf(name).stem === versionOf(first).stem) ?? null
}

/** `names` must hold one at least. Where neither rank nor version tells, they come in name order, the first as the candidate. */
export function chooseArms(names: readonly string[]): ArmsFound {
  const [candidate = '', ...rest] = [...new Set(names)].sort(byClaim)
  const baseline = baselineAmong(rest, candidate)
  const others = rest.filter((name) => name !== baseline).sort()
  return { candidate, baseline, others, note: baseline === null ? null : doubtIn(candidate, baseline) }
}

function doubtIn(candidate: string, baseline: string): string | null {
  const [own, other] = [versionOf(candidate), versionOf(baseline)]
  const isNewer = own.stem === other.stem && compareVersions(own.version, other.version) > 0
  return isNewer || rankOf(candidate) !== rankOf(baseline)
    ? null
    : `The names ${candidate} and ${baseline} do not say which is the baseline: in name order, ${candidate} is taken as the candidate (choose with --candidate and --baseline)`
}
