/** Finds the links of a Markdown text, as CommonMark defines them. */
import type { Env, MarkdownIt, Token } from 'markdown-it'

export interface MarkdownLink {
  /** With escapes resolved. */
  target: string
  /** Index of its line, from 0; for a reference link, the line of the definition. */
  line: number
}

/** Returns links, images, and the definitions that a link or image refers to. Loads the parser only when called. */
export async function findLinks(lines: readonly string[]): Promise<MarkdownLink[]> {
  const { default: Reader } = await import('markdown-it')
  const reader = new Reader('commonmark')
  reader.core.ruler.disable('strip_references')
  reader.validateLink = () => true
  reader.normalizeLink = (target) => target
  const places = trackLinkPlaces(reader)
  const env: Env = {}
  const blocks = reader.parse(lines.join('\n'), env)
  const found = blocks.flatMap(({ map, content, children }) =>
    collectLinks(children ?? [], createLineFinder(content, map, places)),
  )
  const used = new Set(found.map(({ label }) => label))
  return [
    ...found.flatMap(({ label, target, line }) => (label === null ? [{ target, line }] : [])),
    ...collectDefinitions(blocks, used).map(({ label, line }) => ({
      target: env.references?.[label]?.href ?? '',
      line,
    })),
  ].sort((a, b) => a.line - b.line)
}

/** Records where in its block's text each link and image begins; the parser does not keep this. */
function trackLinkPlaces(reader: MarkdownIt): WeakMap<Token, number> {
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

/** Returns a function that gives each token's line in the text. Call it with the tokens of a block in order. */
function createLineFinder(
  content: string,
  map: Token['map'],
  places: WeakMap<Token, number>,
): (token: Token) => number {
  let [line] = map ?? [0]
  let seen = 0
  return (token) => {
    const place = places.get(token) ?? seen
    for (; seen < place; seen += 1) if (content[seen] === '\n') line += 1
    return line
  }
}

function collectLinks(tokens: readonly Token[], lineOf: (token: Token) => number) {
  return tokens.flatMap((token) => {
    const target = token.attrGet(token.type === 'image' ? 'src' : 'href')
    return target === null ? [] : [{ target: String(target), line: lineOf(token), label: readLinkLabel(token) }]
  })
}

/** The first definition of each name counts. */
function collectDefinitions(blocks: readonly Token[], used: ReadonlySet<string | null>) {
  const first = new Map<string, number>()
  for (const block of blocks) {
    const label = block.type === 'reference_definition' ? readLinkLabel(block) : null
    if (label !== null && used.has(label) && !first.has(label)) first.set(label, block.map?.[0] ?? 0)
  }
  return [...first].map(([label, line]) => ({ label, line }))
}

/** null: the link has its own target. */
function readLinkLabel({ meta }: Token): string | null {
  return typeof meta?.label === 'string' ? meta.label : null
}
