/** Which scripts of a skill a shell command starts: read from its words, so a script that another program starts is not seen. */
import path from 'node:path'
import { shellCommands } from './shell.ts'

const interpreters =
  /^(?:python[\d.]*|node|deno|bun|bunx|npx|tsx|ts-node|ruby|perl|php|Rscript|lua|go|pwsh|uv|uvx|poetry|pipx|source|\.)$/
const shells = /^(?:ba|z|da|k)?sh$/
/** Programs that start what follows them. */
const wrappers = /^(?:sudo|time|env|nohup|exec|command|nice|xargs|timeout|stdbuf)$/
const scriptEnding = /\.(?:py|[mc]?[jt]s|sh|bash|zsh|rb|pl|php|r|ps1|lua|go)$/i

/** Paths in the skill's folder, such as scripts/fill.py; `input` is that of a tool call. */
export function startedIn(input: unknown, skill: string): string[] {
  if (typeof input !== 'object' || input === null) return []
  const given = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined
  if (typeof given === 'string') return startedBy(given, skill)
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : []
  return startedByWords([words], skill)
}

function startedBy(command: string, skill: string): string[] {
  return startedByWords(shellCommands(command), skill)
}

function startedByWords(commands: readonly (readonly string[])[], skill: string): string[] {
  let cwd = ''
  return commands.flatMap((all) => {
    const words = withoutWrappers(all)
    const [head = '', ...rest] = words
    if (head === 'cd') {
      cwd = placed(rest[0] ?? '', cwd)
      return []
    }
    const program = path.posix.basename(head)
    const inner = shells.test(program) ? rest[rest.findIndex((word) => /^-[a-z]*c$/.test(word)) + 1] : undefined
    if (inner !== undefined && rest.some((word) => /^-[a-z]*c$/.test(word)))
      return startedBy(`cd ${cwd || '.'}; ${inner}`, skill)
    const script = scriptOf(program, words)
    const own = script === undefined ? null : inSkill(placed(script, cwd), skill)
    return own === null ? [] : [own]
  })
}

/** The word that names the script: the program itself, or what an interpreter is given. */
function scriptOf(program: string, [head, ...rest]: readonly string[]): string | undefined {
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

function placed(word: string, cwd: string): string {
  return path.posix.isAbsolute(word) || /^[~$]/.test(word) ? word : path.posix.join(cwd, word)
}

/** Engines install skills in a folder `skills`; an agent names it in many ways. */
function inSkill(file: string, skill: string): string | null {
  const mark = `skills/${skill}/`
  const at = `/${file}`.lastIndexOf(`/${mark}`)
  return at < 0 ? null : path.posix.normalize(file.slice(at + mark.length))
}
