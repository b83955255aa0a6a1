/** Extracts @eval blocks from the doc comments of a TypeScript or JavaScript file: EVAL.md text next to the code it tests. */

export interface EvalBlock {
  text: string
  /** First line in the file, from 1. */
  line: number
}

/** In file order. A block ends where another tag begins a line, or with its comment. */
export function evalBlocks(source: string): EvalBlock[] {
  const lines = source.replace(/^\uFEFF/, '').split(/\r\n?|\n/)
  return docComments(lines).flatMap(findCommentBlocks)
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
