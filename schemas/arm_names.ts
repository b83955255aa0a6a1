/** What the name of a configuration says of it: one table for which arm is the candidate and for the sentences about both. */

/** Without the skill, what others are held against, an older state, one with the skill, the one of today, a newer state. */
export type ArmKind = 'without' | 'baseline' | 'control' | 'older' | 'with' | 'current' | 'newer'

/** The first that fits; names in lower case, separators as _. */
const kinds: readonly [pattern: RegExp, kind: ArmKind][] = [
  [/without_?skill|^no_?skill|^without$|^vanilla$|^bare$|^(?:skills?_)?(?:disabled|off)$/, 'without'],
  [/^baseline/, 'baseline'],
  [/^control$|^before$/, 'control'],
  [/old_?skill|^old$|^previous|^original/, 'older'],
  [/new_?skill|^new$|^candidate|^treatment$|^after$|^improved/, 'newer'],
  [/with_?skill|^with$|^(?:skills?_)?(?:enabled|on)$/, 'with'],
  [/^current/, 'current'],
]

/** Names that differ in case and separators only have this in common. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-\s]+/g, '_')
}

/** null: the name says nothing. */
export function armKind(name: string): ArmKind | null {
  return kinds.find(([pattern]) => pattern.test(plainName(name)))?.[1] ?? null
}
