/** Finds the commands of a SKILL.md in a prompt, with any value for a placeholder. */

/** Words of a command in order; null stands for a placeholder. */
export type CommandWords = readonly (string | null)[]

/** The commands of a line of shell that are more than a common one, such as `git push`. */
export function readShellCommands(line: string): CommandWords[] {
  return line
    .replace(/^\s*[$>%]\s+/, '')
    .split(/&&|\|\|?|;|\s#\s/)
    .flatMap((command) => readCommand(command, isTelling))
}

/** The commands in code spans. Where the sentence has agents run one, it counts however short it is. */
export function readInlineCommands(sentence: string): CommandWords[] {
  return [...sentence.matchAll(/(\b(?:run|call|execute|invoke|start)\s+)?`([^`\s]+ [^`]+)`/gi)].flatMap(
    ([, verb, code = '']) => readCommand(code, verb === undefined ? isTelling : hasTwoWords),
  )
}

/** Whether the prompt asks for the command: its words in order, with up to four others for a placeholder. */
export function asksForCommand(prompt: string, command: CommandWords): boolean {
  const parts = prompt.split(/\s+/)
  const words = parts.map(trimWord)
  const isOwn = command.some((word) => word !== null && isSkillFile.test(word))
  return words.some((_, start) => (isOwn || isRunNext(parts[start - 1])) && isCommandAt(words, start, command))
}

/** Whether a command after this word is one to run, not one that the prompt is about. */
function isRunNext(before = ''): boolean {
  return runWord.test(before) || /^(?:`{3,}\w*|[-*$]|\d+[.)])$|:$/.test(before)
}

export const runWord = /^(?:run|call|execute|invoke|start|use|using|with|via|through|then|do)$/i

function isCommandAt(words: readonly string[], start: number, [first, ...others]: CommandWords): boolean {
  if (first === undefined) return true
  if (first !== null) return words[start] === first && isCommandAt(words, start + 1, others)
  return [0, 1, 2, 3, 4].some((length) => isCommandAt(words, start + length, others))
}

/** Empty if the text is no command, or too common. */
function readCommand(text: string, isEnough: (fixed: readonly string[]) => boolean): CommandWords[] {
  const words = text
    .trim()
    .split(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((word) => (isPlaceholder.test(word) || isOtherFile(word) ? null : trimWord(word)))
  const last = words.findLastIndex((word) => word !== null)
  const fixed = words.filter((word) => word !== null)
  const isProgram = /^[\w@./-]*[a-z][\w@./-]*$/.test(words[0] ?? '')
  return isProgram && isEnough(fixed) ? [words.slice(0, last + 1)] : []
}

/** Removes the quotes and punctuation around a word. */
function trimWord(word: string): string {
  return word.replaceAll(/^[`"'(]+|[`"',.;:)?!]+$/g, '')
}

const isPlaceholder = /[<>{}[\]$"'…*]|\.\.\.|^[A-Z_]{2,}$|^\w+:\/\/|^path\/|^\\$/
/** A path in a folder that the specification gives to skills. */
const isSkillFile = /(?:^|\/)(?:scripts|references?|assets|templates)\//

/** The name of a file that is not the skill's: an example of the user's. */
function isOtherFile(word: string): boolean {
  return /\.\w{1,5}$/.test(word) && !isSkillFile.test(word)
}

const hasTwoWords = (fixed: readonly string[]) => fixed.length > 1

/** A user would not type it by chance: it has a file of the skill, or three words and a flag or a path. */
function isTelling(fixed: readonly string[]): boolean {
  if (fixed.some((word) => isSkillFile.test(word))) return fixed.length > 1
  return fixed.length > 2 && fixed.some((word) => /^-|\//.test(word))
}
