/** Finds the candidate and the baseline among the names of configurations. */
import { type ArmKind, armKind, plainName } from '../../../schemas/arm_names.ts'

/** Rank of a name by its kind: the highest is the candidate, the lowest the baseline; an unknown name is in between. */
const ranks = {
  without: 0,
  baseline: 1,
  control: 1,
  older: 2,
  with: 4,
  current: 4,
  newer: 5,
} satisfies Record<ArmKind, number>
const unknownRank = 3

/**
 * Words that separate two configurations when the rest of their names is the same (`pdf-new`, `pdf-old`). They mean nothing in
 * `new-york` or in a model name `…-latest`, and are too common in case names to identify a configuration.
 */
const weakRanks: readonly [pattern: RegExp, rank: number][] = [
  [/(?:^|_)(?:disabled|off|none)$/, 0],
  [/(?:^|_)before(?:_|$)/, 1],
  [/(?:^|_)(?:old|older|legacy|prior|prev|earlier)(?:_|$)/, 2],
  [/(?:^|_)(?:new|newer|latest|updated|revised|enhanced|optimi[sz]ed|after)(?:_|$)/, 5],
  [/(?:^|_)(?:enabled|on)$/, 4],
]

/** Complete names of configurations (lower case, separators as _), with or without a number at the end. */
const wholeNames: ReadonlySet<string> = new Set([
  ...['without', 'no_skill', 'noskill', 'vanilla', 'bare', 'baseline', 'control', 'before'],
  ...['old', 'old_skill', 'oldskill', 'previous', 'original', 'with', 'current'],
  ...['new', 'new_skill', 'newskill', 'candidate', 'treatment', 'after', 'improved'],
  ...['enabled', 'disabled', 'skill_enabled', 'skill_disabled', 'skill_on', 'skill_off'],
])

/** Other patterns of configurations, most certain first: a case may be called `original-file`, `new-skill-…` or `fill-with-skill`. */
const doubts: readonly RegExp[] = [
  /^with(?:out)?_?skills?(?![a-z\d])/,
  /(?<![a-z\d])with(?:out)?_?skills?(?![a-z\d])/,
  /^(?:no|old|new)_?skill|^(?:baseline|previous|original|current|improved|candidate).*skill/,
  /^(?:baseline|previous|original|current|improved|candidate)/,
]

/** Two arms, or one (`baseline` null). `note`: a remark for the reader about the choice; null: the names are clear. */
export interface ArmsFound {
  candidate: string
  baseline: string | null
  note: string | null
  /** Further configurations, in name order; excluded from all numbers. */
  others: string[]
}

interface WeakName {
  rank: number
  /** The name without the word. */
  rest: string
}

function findWeakRank(name: string): WeakName {
  const plain = plainName(name)
  const [pattern, rank] = weakRanks.find(([each]) => each.test(plain)) ?? [null, unknownRank]
  return { rank, rest: pattern === null ? plain : plain.replace(pattern, '_').replaceAll(/^_+|_+$/g, '') }
}

function rankName(name: string, names: readonly string[]): number {
  const kind = armKind(name)
  if (kind !== null) return ranks[kind]
  const { rank, rest } = findWeakRank(name)
  const isAlone = parseNameVersion(rest).stem === ''
  return isAlone || names.some((other) => other !== name && findWeakRank(other).rest === rest) ? rank : unknownRank
}

export function isConfiguration(name: string): boolean {
  return armKind(name) !== null
}

/** The folder of a path that is the configuration: the most certain name, or the last of equals. null: no known name. */
export function findConfigurationName(names: readonly string[]): string | null {
  const known = names.filter(isConfiguration)
  const least = Math.min(...known.map(doubtIndex))
  return known.findLast((name) => doubtIndex(name) === least) ?? null
}

function doubtIndex(name: string): number {
  const plain = plainName(name)
  const found = wholeNames.has(plain.replace(/\d+$/, '')) ? 0 : doubts.findIndex((pattern) => pattern.test(plain))
  return found < 0 ? doubts.length : found
}

const versionWord = /(?:^|_)(?:v|ver|version|iter|iteration|rev|revision|round|release)_?(\d+(?:[._]\d+)*)(?=_|$)/

/** The version in a name (none: []) and the rest: only names with the same rest are versions of one thing. */
function parseNameVersion(name: string): { stem: string; version: number[] } {
  const plain = plainName(name)
  const version = versionWord.exec(plain)?.[1]?.split(/[._]/).map(Number) ?? []
  return { stem: plain.replace(versionWord, ''), version }
}

/** Above 0: `a` is newer. A missing part is 0, and a name without a version comes before all with one. */
function compareVersions(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return a.length - b.length
  const places = Array.from({ length: Math.max(a.length, b.length) }, (_, at) => (a[at] ?? 0) - (b[at] ?? 0))
  return places.find((difference) => difference !== 0) ?? 0
}

/** By rank, then by version (of the same stem), the candidate first; then in name order. */
function sortByClaim(names: readonly string[]) {
  return (a: string, b: string): number => {
    const [one, other] = [parseNameVersion(a), parseNameVersion(b)]
    const ranked = rankName(b, names) - rankName(a, names)
    if (ranked !== 0) return ranked
    if (one.stem !== other.stem) return one.stem < other.stem ? -1 : 1
    return compareVersions(other.version, one.version) || (a < b ? -1 : 1)
  }
}

/** The lowest version of the lowest rank. Prefers names that differ from the candidate's only by a version or a word of weakRanks. */
function chooseBaseline(rest: readonly string[], candidate: string): string | null {
  const rankOf = (name: string) => rankName(name, [candidate, ...rest])
  const lowest = Math.min(...rest.map(rankOf))
  const lowly = rest.filter((name) => rankOf(name) === lowest)
  const own = lowly.filter(
    (name) =>
      parseNameVersion(name).stem === parseNameVersion(candidate).stem ||
      findWeakRank(name).rest === findWeakRank(candidate).rest,
  )
  const [first] = own.length > 0 ? own : lowly
  return (
    lowly.findLast((name) => first !== undefined && parseNameVersion(name).stem === parseNameVersion(first).stem) ??
    null
  )
}

/** `names` must not be empty. When neither rank nor version decides, the first in name order is the candidate. */
export function chooseArms(names: readonly string[]): ArmsFound {
  const all = [...new Set(names)]
  const [candidate = '', ...rest] = all.sort(sortByClaim([...all]))
  const baseline = chooseBaseline(rest, candidate)
  const others = rest.filter((name) => name !== baseline).sort()
  return { candidate, baseline, others, note: baseline === null ? null : doubtNote(candidate, baseline) }
}

function doubtNote(candidate: string, baseline: string): string | null {
  const both = [candidate, baseline]
  const [own, other] = [parseNameVersion(candidate), parseNameVersion(baseline)]
  const isNewer = own.stem === other.stem && compareVersions(own.version, other.version) > 0
  return isNewer || rankName(candidate, both) !== rankName(baseline, both)
    ? null
    : `The names ${candidate} and ${baseline} do not show which is the baseline, so ${candidate}, by name order, is the candidate (choose with --candidate and --baseline).`
}
