/** Reads the instructions in the body of a SKILL.md: sentences, list items, rows of steps, lines of commands and templates. */

export interface Instruction {
  /** On one line. */
  text: string
  /** `example`: a line of shell in a section that is otherwise not read. */
  kind: 'sentence' | 'template' | 'shell' | 'example'
}

/** Sections that quote users or show results: they contain no instructions. */
const otherSection =
  /\b(?:when|trigger|activat|example|sample|overview|about|purpose|introduction|background|related|see also|reference|resource|limitation|troubleshoot|faq|changelog|licen[sc]e|credit|contribut|install|test|eval)/i

/** Sentences of paragraphs, lists and tables of steps, and lines of commands and templates. */
export function readInstructions(body: readonly string[]): Instruction[] {
  const found: Instruction[] = []
  let block: string[] = []
  let isOther = false
  let fence: { mark: string; language: string } | null = null
  let table: { isOfSteps: boolean } | null = null
  const endBlock = () => {
    if (!isOther) found.push(...splitSentences(block.join(' ')).map((text) => ({ text, kind: 'sentence' as const })))
    block = []
  }
  for (const line of body) {
    const [, mark = null, language = ''] = /^\s*(`{3,}|~{3,})\s*(\w*)/.exec(line) ?? []
    const [, heading = null] = /^#{1,6}\s+(.*)/.exec(line) ?? []
    if (mark !== null && (fence === null || mark.startsWith(fence.mark))) {
      endBlock()
      fence = fence === null ? { mark, language } : null
    } else if (fence !== null) {
      found.push(...readBlockLine(line, fence.language, isOther))
    } else if (heading !== null) {
      endBlock()
      isOther = otherSection.test(heading)
    } else if (beginsBlock.test(line)) {
      endBlock()
      table = isRow.test(line) ? (table ?? { isOfSteps: stepTable.test(line) }) : null
      block = table?.isOfSteps === false ? [] : [line]
    } else block.push(line)
  }
  endBlock()
  return found.filter(({ text }) => text !== '')
}

function readBlockLine(line: string, language: string, isOther: boolean): Instruction[] {
  if (/^\s*(?:#|\/\/)/.test(line)) return []
  const text = line.trim()
  if (shellLanguages.test(language)) return [{ text, kind: isOther ? 'example' : 'shell' }]
  return templateLanguages.test(language) && !isOther ? [{ text, kind: 'template' }] : []
}

/** Blocks without a language show commands as often as anything else. */
const shellLanguages = /^(?:|bash|sh|shell|zsh|console)$/i
/** Languages of blocks that show templates, not data or code. */
const templateLanguages = /^(?:markdown|md|text|txt|ya?ml)$/i
/** Items, rows, quotes and empty lines. */
const beginsBlock = /^\s*(?:[-*+]\s|\d+[.)]\s|\||>|$)/
const isRow = /^\s*\|/
/** The head of a table whose rows say what to do. */
const stepTable = /\b(?:steps?|actions?|do|instructions?|rules?)\b/i

/** What a user says, or the name of something. */
const isQuote = /^["“'][^"”']*["”'][.,;]?$|^`(?:[A-Z][^`]* [^`]* [^`]*|\S+)`[.,;]?$/
const isLabel = /^\*\*[^*]*\*\*:?$|^\*\*[^*]*:\*\*$|^[^.*]*:$/

function splitSentences(text: string): string[] {
  return text
    .replace(/^\s*(?:[-*+]|\d+[.)]|>)\s+/, '')
    .replaceAll(/`[^`]+`/g, (code) => code.replaceAll(' ', codeSpace))
    .split(sentenceEnd)
    .map((one) => one.replaceAll(codeSpace, ' ').trim())
    .filter((one) => !isQuote.test(one) && !isLabel.test(one))
}

/** Keeps code from being split. */
const codeSpace = '\u0000'
const sentenceEnd =
  /(?<=[.!?;])\s+|(?<=:)\s+(?!\p{Ll})|,\s+(?=(?:and|then|but|which|never|not)\b)|(?<=\w\s)(?:and then)\s+|\s*\|\s*/u
