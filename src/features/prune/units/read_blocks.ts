/** The paragraphs and list items of SKILL.md with their lines, as CommonMark reads them. */
import type { Token } from 'markdown-it'

export interface SkillBlock {
  kind: 'text' | 'item'
  text: string
  /** Lines of the file from 0; `end` is the first line after it. Empty lines after it are its own. */
  start: number
  end: number
  /** Number of its section; 0: before the first heading. */
  section: number
  heading: string
  /** The name of its section's heading in links. */
  anchor: string
}

export interface HeadingLine {
  start: number
  end: number
  level: number
}

/** Frontmatter, headings and link definitions are in no block. Code after a paragraph belongs to it. */
export async function readBlocks(text: string): Promise<SkillBlock[]> {
  const { tokens, lines, from } = await parseBody(text)
  const starts = tokens.map(({ map }) => from + (map?.[0] ?? 0))
  const blocks: SkillBlock[] = []
  let [section, heading] = [0, '']
  for (const [at, token] of tokens.entries()) {
    const start = starts[at] ?? 0
    const end = starts[at + 1] ?? lines.length
    if (token.type === 'heading_open') {
      section += 1
      heading = (lines[start] ?? '').replace(/^\s*#+\s*|\s*#+\s*$/g, '').trim()
      continue
    }
    const last = blocks.at(-1)
    const isCode = token.type === 'fence' || token.type === 'code_block'
    if (isCode && last?.section === section) {
      last.end = end
      last.text = textOf(lines, last.start, end)
      continue
    }
    const kind = token.type === 'list_item_open' ? 'item' : 'text'
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    blocks.push({ kind, text: textOf(lines, start, end), start, end, section, heading, anchor })
  }
  return blocks
}

/** The headings of SKILL.md, in order. */
export async function readHeadings(text: string): Promise<HeadingLine[]> {
  const { tokens, from } = await parseBody(text)
  return tokens.flatMap(({ type, tag, map }) =>
    type === 'heading_open' && map ? [{ start: from + map[0], end: from + map[1], level: Number(tag.slice(1)) }] : [],
  )
}

/** The outermost blocks, and the items of the outermost lists. */
async function parseBody(text: string): Promise<{ tokens: Token[]; lines: string[]; from: number }> {
  const { default: Reader } = await import('markdown-it')
  const lines = text.split('\n')
  const from = findBody(lines)
  const all = new Reader('commonmark').parse(lines.slice(from).join('\n'), {})
  const tokens = all.filter(
    ({ map, type, level, nesting }) =>
      map !== null &&
      nesting >= 0 &&
      (type === 'list_item_open'
        ? level === 1
        : level === 0 && type !== 'bullet_list_open' && type !== 'ordered_list_open'),
  )
  return { tokens, lines, from }
}

/** The first line after the frontmatter. */
function findBody(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === '---')
  return end === -1 ? 0 : end + 1
}

function textOf(lines: readonly string[], start: number, end: number): string {
  return lines.slice(start, end).join('\n').trimEnd()
}
