/** Finds steps of a skill that a prompt gives away, by their words: a case like that can't tell whether the skill helped. */
import { asksForCommand, type CommandWords, readInlineCommands, readShellCommands } from './command_words.ts'
import { collectWords, negation, stemWords } from './word_sets.ts'

export interface SkillStep {
  /** As it stands there, on one line. */
  text: string
  /** Its words in order, each once, without endings. */
  words: readonly string[]
  /** Those that the skill's name and description do not have: a user who asks for the task would not say them. */
  own: ReadonlySet<string>
  /** Each counts by itself. */
  commands: readonly CommandWords[]
}

/** Share of the words of a step that the prompt has close together. */
const leastShare = 0.75
/** Fewer words of its own are in both by chance, in one step; in each of two steps. */
const leastOwn = { single: 4, several: 2 }
/** Words of a sentence that is not in both by chance, common ones included. */
const leastSentence = 6
const fillers = new Set(
  'please use using make sure always then first next finally also each every any all only one user skill step steps output input file run so if when which who whose what them they these those we us our i me my than not'.split(
    ' ',
  ),
)

/** The instructions in the lines of SKILL.md's body. `topic`: name and description of the skill. */
export function readSkillSteps(body: readonly string[], topic: string): SkillStep[] {
  const known = new Set(splitWords(topic))
  return readInstructions(body).flatMap((instruction) => readStep(instruction, known))
}

function readStep({ text, kind }: Instruction, known: ReadonlySet<string>): SkillStep[] {
  const words = kind === 'example' ? [] : [...new Set(splitWords(text))]
  const own = listOwnWords(words, known)
  const all = kind === 'sentence' ? readInlineCommands(text) : kind === 'template' ? [] : readShellCommands(text)
  const commands = all.filter((command) => listOwnWords(splitWords(command.join(' ')), known).size > 0)
  return own.size < 2 && commands.length === 0 ? [] : [{ text, words, own, commands }]
}

function listOwnWords(words: readonly string[], known: ReadonlySet<string>): Set<string> {
  return new Set(words.filter((word) => !known.has(word)))
}

/** The steps that the prompt states, in the order of the skill: one that is long, or two and more. */
export function findLeakedSteps(prompt: string, steps: readonly SkillStep[]): SkillStep[] {
  const words = splitWords(prompt)
  const isDenied = !negation.test(prompt)
  const stated = steps.flatMap((step) => {
    if (isDenied && negation.test(step.text)) return []
    const isWhole =
      step.commands.some((command) => asksForCommand(prompt, command)) ||
      isWholeStep(step, words) ||
      isWordForWord(step, prompt)
    const own = countStatedOwn(step, words)
    return isWhole || own >= leastOwn.several ? [{ step, isLong: isWhole || own >= leastOwn.single }] : []
  })
  const all = new Set(stated.flatMap(({ step }) => [...step.own]))
  const isSeveral = stated.length > 1 && all.size > leastOwn.several
  return isSeveral || stated.some(({ isLong }) => isLong) ? stated.map(({ step }) => step) : []
}

/** How many words of its own the prompt has close together; 0: too few of all its words. */
function countStatedOwn({ words, own }: SkillStep, prompt: readonly string[]): number {
  const least = words.length <= leastOwn.single ? words.length : words.length * leastShare
  if (words.filter((word) => prompt.includes(word)).length < least) return 0
  const best = findDensestPart(new Set(words), prompt)
  return best.size < least ? 0 : [...best].filter((word) => own.has(word)).length
}

/** Whether the prompt says a whole step of few words, in its order. A part of a sentence does not count. */
function isWholeStep({ text, words, own }: SkillStep, prompt: readonly string[]): boolean {
  const telling = [...own].filter((word) => !/^\d+$/.test(word))
  if (telling.length < words.length || telling.length < 3 || !/^[\p{Lu}`*]/u.test(text)) return false
  return ` ${prompt.join(' ')} `.includes(` ${words.join(' ')} `)
}

function isWordForWord({ text, own }: SkillStep, prompt: string): boolean {
  const sentence = plainText(text)
  return (
    own.size > 1 && sentence.split(' ').length >= leastSentence && ` ${plainText(prompt)} `.includes(` ${sentence} `)
  )
}

/** The words of a text as written, in lower case, without punctuation and markup. */
function plainText(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

/** The words of the step in that part of the prompt which has most of them; a part is twice as long as the step. */
function findDensestPart(step: ReadonlySet<string>, prompt: readonly string[]): Set<string> {
  const length = step.size * 2 + 4
  let best = new Set<string>()
  for (let start = 0; start < Math.max(1, prompt.length - length + 1); start++) {
    const found = new Set(prompt.slice(start, start + length).filter((word) => step.has(word)))
    if (found.size > best.size) best = found
  }
  return best
}

const numbers = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, at) => [word, String(at + 1)]),
)

/** Words in order, without endings, common words and fillers. */
function splitWords(text: string): string[] {
  return text
    .split(/\s+/)
    .flatMap((part) => [...collectWords(part)])
    .filter((word) => !fillers.has(word))
    .flatMap((word) => [...stemWords(new Set([numbers.get(word) ?? word]))])
}

/** Reads the instructions in the body of a SKILL.md: sentences, list items, rows of steps, lines of commands and templates. */
interface Instruction {
  text: string
  /** `example`: a line of shell in a section that is otherwise not read. */
  kind: 'sentence' | 'template' | 'shell' | 'example'
}

/** Sections that quote users or show results: they contain no instructions. */
const otherSection =
  /\b(?:when|trigger|activat|example|sample|overview|about|purpose|introduction|background|related|see also|reference|resource|limitation|troubleshoot|faq|changelog|licen[sc]e|credit|contribut|install|test|eval)/i

/** Sentences of paragraphs, lists and tables of steps, and lines of commands and templates. */
function readInstructions(body: readonly string[]): Instruction[] {
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

const codeSpace = '\u0000'
const sentenceEnd =
  /(?<=[.!?;])\s+|(?<=:)\s+(?!\p{Ll})|,\s+(?=(?:and|then|but|which|never|not)\b)|(?<=\w\s)(?:and then)\s+|\s*\|\s*/u
