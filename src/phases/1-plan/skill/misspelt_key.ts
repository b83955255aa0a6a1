/** Finds the key that was meant as a missing field of SKILL.md's frontmatter. */
import { agentKeys, specKeys } from '../../../../schemas/skill_frontmatter.ts'
import { findMisspelling } from '../../../base/text/did_you_mean.ts'

/** null: no unknown key is near the field's name. */
export function findMisspeltKey(keys: readonly string[], field: string): string | null {
  const unknown = keys.filter((key) => !specKeys.includes(key) && !agentKeys.includes(key))
  return unknown.find((key) => findMisspelling(key, [field]) !== null) ?? null
}
