/** Which configuration is which: the candidate and the baseline among the names found. */
import { type ArmKind, armKind, plainName } from '../../../schemas/arm_names.ts'

/** How much of a candidate a name of a kind is: the highest is the candidate, the lowest the baseline; one that says nothing lies between. */
const ranks = {
  without: 0,
  baseline: 1,
  control: 1,
  older: 2,
  with: 4,
  current: 4,
  newer: 5,
} satisfies Record<ArmKind, number>
const unknown = 3

/**
 * Words that tell two configurations apart where the rest of their names is the same (`pdf-new`, `pdf-old`). They say nothing in
 * `new-york`, or of a model that is called `…-latest`; and they are too common in the names of cases to tell a configuration.
 */
const weakRanks: readonly [pattern: RegExp, rank: number][] = [
  [/(?:^|_)(?:disabled|off|none)$/, 0],
  [/(?:^|_)before(?:_|$)/, 1],
  [/(?:^|_)(?:old|older|legacy|prior|prev|earlier)(?:_|$)/, 2],
  [/(?:^|_)(?:new|newer|latest|updated|revised|enhanced|optimi[sz]ed|after)(?:_|$)/, 5],
  [/(?:^|_)(?:enabled|on)$/, 4],
]

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

interface Weak {
  rank: number
  /** The name without the word. */
  rest: string
}

function weakIn(name: string): Weak {
  const plain = plainName(name)
  const [pattern, rank] = weakRanks.find(([each]) => each.test(plain)) ?? [null, unknown]
  return { rank, rest: pattern === null ? plain : plain.replace(pattern, '_').replaceAll(/^_+|_+$/g, '') }
}

/** Of a name among others. */
function rankAmong(name: string, names: readonly string[]): number {
  const kind = armKind(name)
  if (kind !== null) return ranks[kind]
  const { rank, rest } = weakIn(name)
  const isAlone = versionOf(rest).stem === ''
  return isAlone || names.some((other) => other !== name && weakIn(other).rest === rest) ? rank : unknown
}

/** Whether a folder of this name may be a configuration. */
export function isConfiguration(name: string): boolean {
  return armKind(name) !== null
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
function byClaim(names: readonly string[]) {
  return (a: string, b: string): number => {
    const [one, other] = [versionOf(a), versionOf(b)]
    const ranked = rankAmong(b, names) - rankAmong(a, names)
    if (ranked !== 0) return ranked
    if (one.stem !== other.stem) return one.stem < other.stem ? -1 : 1
    return compareVersions(other.version, one.version) || (a < b ? -1 : 1)
  }
}

/** Of those of the lowest rank the lowest version; those that are called as the candidate, but for a version or such a word, before others. */
function baselineAmong(rest: readonly string[], candidate: string): string | null {
  const rankOf = (name: string) => rankAmong(name, [candidate, ...rest])
  const lowest = Math.min(...rest.map(rankOf))
  const lowly = rest.filter((name) => rankOf(name) === lowest)
  const own = lowly.filter(
    (name) => versionOf(name).stem === versionOf(candidate).stem || weakIn(name).rest === weakIn(candidate).rest,
  )
  const [first] = own.length > 0 ? own : lowly
  return lowly.findLast((name) => first !== undefined && versionOf(name).stem === versionOf(first).stem) ?? null
}

/** `names` must hold one at least. Where neither rank nor version tells, they come in name order, the first as the candidate. */
export function chooseArms(names: readonly string[]): ArmsFound {
  const all = [...new Set(names)]
  const [candidate = '', ...rest] = all.sort(byClaim([...all]))
  const baseline = baselineAmong(rest, candidate)
  const others = rest.filter((name) => name !== baseline).sort()
  return { candidate, baseline, others, note: baseline === null ? null : doubtIn(candidate, baseline) }
}

function doubtIn(candidate: string, baseline: string): string | null {
  const both = [candidate, baseline]
  const [own, other] = [versionOf(candidate), versionOf(baseline)]
  const isNewer = own.stem === other.stem && compareVersions(own.version, other.version) > 0
  return isNewer || rankAmong(candidate, both) !== rankAmong(baseline, both)
    ? null
    : `The names ${candidate} and ${baseline} do not say which is the baseline: in name order, ${candidate} is taken as the candidate (choose with --candidate and --baseline)`
}
