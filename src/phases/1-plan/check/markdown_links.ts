/** The links of a Markdown text, as CommonMark has them. */
import type { Env, MarkdownIt, Token } from 'markdown-it'

export interface MarkdownLink {
  /** As it is meant: escapes taken out. */
  target: string
  /** Index of its line, from 0; of one by reference that of the definition. */
  line: number
}

/** Links, images, and the definitions that a link or image refers to. The parser is loaded by who asks. */
export async function linksIn(lines: readonly string[]): Promise<MarkdownLink[]> {
  const { default: Reader } = await import('markdown-it')
  const reader = new Reader('commonmark')
  reader.core.ruler.disable('strip_references')
  reader.validateLink = () => true
  reader.normalizeLink = (target) => target
  const places = placesIn(reader)
  const env: Env = {}
  const blocks = reader.parse(lines.join('\n'), env)
  const found = blocks.flatMap(({ map, content, children }) => linksOf(children ?? [], placed(content, map, places)))
  const used = new Set(found.map(({ label }) => label))
  return [
    ...found.flatMap(({ label, target, line }) => (label === null ? [{ target, line }] : [])),
    ...definitionsIn(blocks, used).map(({ label, line }) => ({ target: env.references?.[label]?.href ?? '', line })),
  ].sort((a, b) => a.line - b.line)
}

/** Notes where in its block's text each link and image begins, which the parser knows and does not keep. */
function placesIn(reader: MarkdownIt): WeakMap<Token, number> {
  const places = new WeakMap<Token, number>()
  reader.inline.State = class extends reader.inline.State {
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      const token = super.push(type, tag, nesting)
      if (type === 'link_open' || type === 'image') places.set(token, this.pos)
      return token
    }
  }
  return places
}

/** Says of token after token of a block, in their order, in which line of the text it begins. */
function placed(content: string, map: Token['map'], places: WeakMap<Token, number>): (token: Token) => number {
  let [line] = map ?? [0]
  let seen = 0
  return (token) => {
    const place = places.get(token) ?? seen
    for (; seen < place; seen += 1) if (content[seen] === '\n') line += 1
    return line
  }
}

function linksOf(tokens: readonly Token[], lineOf: (token: Token) => number) {
  return tokens.flatMap((token) => {
    const target = token.attrGet(token.type === 'image' ? 'src' : 'href')
    return target === null ? [] : [{ target: String(target), line: lineOf(token), label: labelOf(token) }]
  })
}

/** The first of each name counts. */
function definitionsIn(blocks: readonly Token[], used: ReadonlySet<string | null>) {
  const first = new Map<string, number>()
  for (const block of blocks) {
    const label = block.type === 'reference_definition' ? labelOf(block) : null
    if (label !== null && used.has(label) && !first.has(label)) first.set(label, block.map?.[0] ?? 0)
  }
  return [...first].map(([label, line]) => ({ label, line }))
}

/** null: it has its target itself. */
function labelOf({ meta }: Token): string | null {
  return typeof meta?.label === 'string' ? meta.label : null
}
