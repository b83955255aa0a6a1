/** The links of a Markdown text, as CommonMark has them: none in code, in comments or after an escape. */

export interface MarkdownLink {
  /** As it is meant: escapes taken out. */
  target: string
  /** Index of its line, from 0. */
  line: number
}

/** Inline links and images. */
export function linksIn(lines: readonly string[]): MarkdownLink[] {
  return proseOf(lines).flatMap((text, line) => {
    let end = 0
    return [...text.matchAll(inlineLink)].flatMap(({ 0: whole, 1: pointed, 2: plain = '', index }) => {
      const before = text.slice(end, index)
      end = index + whole.length
      const isOpened = !before.includes('\\[') || before.replaceAll(/\\./g, '').includes('[')
      return isOpened ? [{ target: (pointed ?? plain).replaceAll(escaped, '$1'), line }] : []
    })
  })
}

/** `](target "title")`; the target between < and >, or with parentheses in pairs. */
const inlineLink =
  /(?<!\\)\]\(\s*(?:<([^<>]+)>|((?:\\.|[^\s()\\<>]|\((?:\\.|[^\s()\\])*\))+))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g
const escaped = /\\([!-/:-@[-`{-~])/g

/** The lines without what is code or comment. */
function proseOf(lines: readonly string[]): string[] {
  const isIndentedCode = indentedCode()
  let fence: string | null = null
  let isComment = false
  return lines.map((line) => {
    const [, mark = null] = isComment ? [] : (/^\s*(`{3,}|~{3,})/.exec(line) ?? [])
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
      return ''
    }
    if (!isComment && isIndentedCode(line)) return ''
    fence = mark
    if (mark !== null) return ''
    const [text, isOpen] = withoutComments(line, isComment)
    isComment = isOpen
    return text
  })
}

/** Says of line after line whether it is code by four more blanks than the text that it stands in, a list's item or none. */
function indentedCode(): (line: string) => boolean {
  let items: number[] = []
  let mayBegin = true
  return (line) => {
    if (line.trim() === '') {
      mayBegin = true
      return false
    }
    const [blanks = ''] = /^[ \t]*/.exec(line) ?? []
    const indent = blanks.replaceAll('\t', '    ').length
    if (mayBegin) items = items.filter((start) => start <= indent)
    if (mayBegin && indent >= (items.at(-1) ?? 0) + 4) return true
    const [item] = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line.slice(blanks.length)) ?? []
    if (item !== undefined) items = [...items.filter((start) => start <= indent), indent + item.length]
    mayBegin = item === undefined && /^#{1,6}\s/.test(line)
    return false
  }
}

/** Code between backticks goes too; the second: a comment goes on in the next line. */
function withoutComments(line: string, isComment: boolean): [string, boolean] {
  const end = isComment ? line.indexOf('-->') : 0
  if (end < 0) return ['', true]
  const text = (isComment ? line.slice(end + 3) : line)
    .replaceAll(/(`{1,9})[^`]*\1/g, '')
    .split('<!--')
    .map((part, index) => (index === 0 ? part : part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : null))
  return [text.filter((part) => part !== null).join(' '), text.at(-1) === null]
}
