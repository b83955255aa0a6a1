/** What the name of a configuration says about it: one table to choose the candidate arm and to write the sentences about both arms. */

/**
 * without: no skill; baseline and control: what others are compared with; older, current and newer: versions of the skill; with: with the
 * skill.
 */
export type ArmKind = 'without' | 'baseline' | 'control' | 'older' | 'with' | 'current' | 'newer'

/** The first match counts; names are in lower case, with _ as separator. */
const kinds: readonly [pattern: RegExp, kind: ArmKind][] = [
  [/without_?skill|^no_?skill|^without$|^vanilla$|^bare$|^(?:skills?_)?(?:disabled|off)$/, 'without'],
  [/^baseline/, 'baseline'],
  [/^control$|^before$/, 'control'],
  [/old_?skill|^old$|^previous|^original/, 'older'],
  [/new_?skill|^new$|^candidate|^treatment$|^after$|^improved/, 'newer'],
  [/with_?skill|^with$|^(?:skills?_)?(?:enabled|on)$/, 'with'],
  [/^current/, 'current'],
]

/** The name in lower case, with _ as separator: equal for names that differ only in case and separators. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-\s]+/g, '_')
}

/** The kind of arm that a name stands for; null: the name does not say. */
export function armKind(name: string): ArmKind | null {
  return kinds.find(([pattern]) => pattern.test(plainName(name)))?.[1] ?? null
}
