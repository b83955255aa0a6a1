/** A value of frontmatter that is no valid YAML: what authors who never quote mean by it. */

/**
 * The text after `key:`, further lines of it too, without comments and the quotes around it; empty: there is none.
 * null: it begins with a sign of YAML and is no text in quotes, so what it means is not known.
 */
export function plainValue(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim())
  const flat = lines.join(' ').trim()
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')(?:\s+#.*)?$/.exec(flat) ?? []
  if (double !== undefined || single !== undefined) return double ?? single ?? null
  if (/^["'[{&*!|>]/.test(flat)) return null
  return lines.map(withoutComment).join(' ').trim()
}

/** In YAML a # begins a comment where a blank is before it. */
function withoutComment(line: string): string {
  const at = line.search(/(?:^|\s)#/)
  return at < 0 ? line : line.slice(0, at).trimEnd()
}
