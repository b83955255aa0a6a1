/** Finds the scripts of a skill that a shell command starts by its words; scripts started by other programs are not seen. */
import path from 'node:path'
import { parseShellCommands } from './shell_words.ts'

const interpreters =
  /^(?:python[\d.]*|node|deno|bun|bunx|npx|tsx|ts-node|ruby|perl|php|Rscript|lua|go|pwsh|uv|uvx|poetry|pipx|source|\.)$/
const shells = /^(?:ba|z|da|k)?sh$/
/** Programs that start the command after them. */
const wrappers = /^(?:sudo|time|env|nohup|exec|command|nice|xargs|timeout|stdbuf)$/
const scriptEnding = /\.(?:py|[mc]?[jt]s|sh|bash|zsh|rb|pl|php|r|ps1|lua|go)$/i

/** Paths in the skill's folder, such as scripts/fill.py; `input`: of a tool call. */
export function findStartedScripts(input: unknown, skill: string): string[] {
  if (typeof input !== 'object' || input === null) return []
  const given = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined
  if (typeof given === 'string') return findScriptsInCommand(given, skill)
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : []
  return findScriptsInWords([words], skill)
}

function findScriptsInCommand(command: string, skill: string): string[] {
  return findScriptsInWords(parseShellCommands(command), skill)
}

function findScriptsInWords(commands: readonly (readonly string[])[], skill: string): string[] {
  let cwd = ''
  return commands.flatMap((all) => {
    const words = withoutWrappers(all)
    const [head = '', ...rest] = words
    if (head === 'cd') {
      cwd = resolveWord(rest[0] ?? '', cwd)
      return []
    }
    const program = path.posix.basename(head)
    const inner = shells.test(program) ? rest[rest.findIndex((word) => /^-[a-z]*c$/.test(word)) + 1] : undefined
    if (inner !== undefined && rest.some((word) => /^-[a-z]*c$/.test(word)))
      return findScriptsInCommand(`cd ${cwd || '.'}; ${inner}`, skill)
    const script = findScriptWord(program, words)
    const own = script === undefined ? null : toSkillPath(resolveWord(script, cwd), skill)
    return own === null ? [] : [own]
  })
}

/** The word that names the script: the program itself, or an interpreter's argument. */
function findScriptWord(program: string, [head, ...rest]: readonly string[]): string | undefined {
  if (shells.test(program)) return rest.find((word) => !word.startsWith('-'))
  if (interpreters.test(program)) return rest.find((word) => scriptEnding.test(word))
  return head
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, index) =>
      !/^\w+=/.test(word) &&
      !wrappers.test(word) &&
      !(index > 0 && (word.startsWith('-') || /^[\d.]+[smhd]?$/.test(word))),
  )
  return at < 0 ? [] : words.slice(at)
}

function resolveWord(word: string, cwd: string): string {
  return path.posix.isAbsolute(word) || /^[~$]/.test(word) ? word : path.posix.join(cwd, word)
}

/** Engines install skills in a folder `skills`, whose path agents write in many ways. */
function toSkillPath(file: string, skill: string): string | null {
  const mark = `skills/${skill}/`
  const at = `/${file}`.lastIndexOf(`/${mark}`)
  return at < 0 ? null : path.posix.normalize(file.slice(at + mark.length))
}
