/** Interprets a frontmatter value that is not valid YAML as an author who never quotes intends it. */

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
