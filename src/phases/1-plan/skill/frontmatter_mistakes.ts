/** Frontmatter as authors write it: a value without its quotes, and a misspelt key. */
import { agentKeys, specKeys } from '../../../../schemas/skill_frontmatter.ts'
import { findMisspelling } from '../../../base/text/did_you_mean.ts'

/**
 * The text after `key:` with its continuation lines, without comments and quotes; empty: none.
 * null: it begins with a YAML indicator and is not a quoted text, so its meaning is unknown.
 */
export function plainValue(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim())
  const flat = lines.join(' ').trim()
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')(?:\s+#.*)?$/.exec(flat) ?? []
  if (double !== undefined || single !== undefined) return double ?? single ?? null
  if (/^["'[{&*!|>]/.test(flat)) return null
  return lines.map(withoutComment).join(' ').trim()
}

/** In YAML, a # after a blank begins a comment. */
function withoutComment(line: string): string {
  const at = line.search(/(?:^|\s)#/)
  return at < 0 ? line : line.slice(0, at).trimEnd()
}

/** null: no unknown key is near the field's name. */
export function findMisspeltKey(keys: readonly string[], field: string): string | null {
  const unknown = keys.filter((key) => !specKeys.includes(key) && !agentKeys.includes(key))
  return unknown.find((key) => findMisspelling(key, [field]) !== null) ?? null
}
