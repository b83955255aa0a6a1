/** Extracts @eval blocks of a source file, which are EVAL.md text next to the code it tests: doc comments of TypeScript and JavaScript, attributes of Elixir. */

/** Whether a file of this name may have @eval blocks. */
export function isEvalSource(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|exs?)$/.test(file) && !/\.d\.[cm]?ts$|\.min\.[cm]?js$/.test(file)
}

export interface EvalBlock {
  text: string
  /** First line in the file, from 1. */
  line: number
}

/** In file order. A block of a comment ends where another tag begins a line, or with its comment. `file`: its name. */
export function evalBlocks(source: string, file = 'x.ts'): EvalBlock[] {
  if (/\.exs?$/.test(file)) return findAttributeBlocks(source)
  const lines = source.replace(/^\uFEFF/, '').split(/\r\n?|\n/)
  return docComments(lines).flatMap(findCommentBlocks)
}

/** The source without the text of its blocks; every other line keeps its number. */
export function removeEvalBlocks(source: string, blocks: readonly EvalBlock[]): string {
  const lines = source.split(/\r\n?|\n/)
  for (const { text, line } of blocks) {
    for (let at = line - 1; at < line - 1 + text.split('\n').length; at++) {
      const [start = ''] = /^\s*(?:\/\*\*|\*(?!\/))?/.exec(lines[at] ?? '') ?? []
      const end = lines[at]?.indexOf('*/') ?? -1
      lines[at] = end < 0 ? start.trimEnd() : `${start.trimEnd()} ${lines[at]?.slice(end)}`
    }
  }
  return lines.join('\n')
}

/** `@eval """ … """`, indented as its closing quotes. */
function findAttributeBlocks(source: string): EvalBlock[] {
  const text = source.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const found = text.matchAll(/^[ \t]*@eval[ \t]+(?:~[sS])?"""[ \t]*\n([\s\S]*?)\n([ \t]*)"""/gm)
  return [...found].map(({ 0: whole, 1: inner = '', 2: indent = '', index }) => {
    const line = text.slice(0, index + whole.indexOf('\n') + 1).split('\n').length
    const lines = inner.split('\n').map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one.trimStart()))
    return { text: lines.join('\n'), line }
  })
}

interface CommentLine {
  text: string
  number: number
}

/** Comments that begin a line with slash and two stars, without the stars. */
function docComments(lines: readonly string[]): CommentLine[][] {
  const found: CommentLine[][] = []
  let open: CommentLine[] | null = null
  for (const [index, line] of lines.entries()) {
    const start: string | null = open === null ? (/^\s*\/\*\*(?!\/)(.*)$/.exec(line)?.[1] ?? null) : line
    if (start === null) continue
    const [inner = '', ...after] = start.split('*/')
    const text: string = open === null ? inner.trimStart() : inner.replace(/^\s*\* ?/, '').trimEnd()
    open ??= []
    open.push({ text, number: index + 1 })
    if (after.length === 0) continue
    found.push(open)
    open = null
  }
  return found
}

function findCommentBlocks(comment: readonly CommentLine[]): EvalBlock[] {
  const found: { lines: string[]; line: number }[] = []
  let fence: string | null = null
  let isOpen = false
  for (const { text, number } of comment) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1] ?? null
    const [, tag, rest = ''] = (fence === null && /^\s*@(\w+)[ \t]*(.*)$/.exec(text)) || []
    if (mark !== null && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null
    if (tag === undefined) {
      if (isOpen) found.at(-1)?.lines.push(text)
    } else {
      isOpen = tag === 'eval'
      if (isOpen) found.push({ lines: [rest], line: number })
    }
  }
  return found.map(({ lines, line }) => ({ text: lines.join('\n'), line }))
}
