/** Finds the skill's own files that a prompt names: the arm without the skill does not have them. */
import path from 'node:path'
import { runWord } from './command_words.ts'

/** A file in a folder that the specification gives to skills. */
const isOwnFile = /^(?:scripts|references?|assets|templates)\/.*\w\.\w+$/
const isScript = /^scripts\/.*\.(?:py|[cm]?[jt]s|sh|bash|rb|pl|php|R|ps1)$/

/** `files`: of the skill, as agents see them. `inputs`: paths that the case itself gives the agent. */
export function findNamedFiles(prompt: string, files: readonly string[], inputs: readonly string[]): string[] {
  const words = prompt.split(/[\s"'`()<>[\],;]+/).map((word) => word.replaceAll(/^\.\/|[.:!?]+$/g, ''))
  const isRun = (name: string) => words.some((word, at) => word === name && isRunBefore(words.slice(0, at)))
  const given = new Set(inputs.map((input) => path.posix.basename(input)))
  return files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => isOwnFile.test(file) && !given.has(path.posix.basename(file)))
    .filter((file) => words.includes(file) || (isScript.test(file) && isRun(path.posix.basename(file))))
}

/** Whether the words end in "run", "use the script" and the like: a script without its folder may be the user's own. */
function isRunBefore(words: readonly string[]): boolean {
  const verb = words.findLast((word) => !/^(?:the|script|tool|its|skill|python3?|node|bash|sh)$/i.test(word))
  return verb !== undefined && runWord.test(verb)
}
