/** script_executed: a command of the agent started a script in the skill's folder. */
import path from 'node:path'
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, formatNames } from './inputs/check_input.ts'
import { resolveFileNames } from './inputs/wanted_files.ts'

/** Only a completed call counts: one that a hook blocked started nothing. */
export async function decideScriptExecuted(
  check: CheckOf<'script_executed'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const { skill } = context
  if (skill === null) return { error: 'the skill under test is unknown' }
  if (!skill.installed) return { passed: false, evidence: 'the agent did not have this skill' }
  const events = await context.events()
  const started = events.flatMap((event, index) =>
    event.type === 'tool_call' && isDone(events, index, event.id)
      ? findStartedScripts(event.input, skill.name).map((script) => ({ script, line: index + 1 }))
      : [],
  )
  const scripts = [...new Set(started.map(({ script }) => script))]
  const wanted =
    check.script === undefined ? { names: scripts } : await resolveFileNames(check.script, scripts, context.signal)
  if ('error' in wanted) return wanted
  const found = started.find(({ script }) => wanted.names.includes(script))
  if (found) return { passed: true, evidence: capText(`transcript.jsonl:${found.line}: ${found.script} was started`) }
  if (!context.showsTools) return { error: 'the engine does not report which commands the agent ran' }
  return { passed: false, evidence: `no command started it; scripts of the skill that were: ${formatNames(scripts)}` }
}

function isDone(events: readonly TranscriptEvent[], at: number, id: string): boolean {
  const end = events.findIndex((event, index) => index > at && event.type === 'tool_result' && event.id === id)
  const between = events.slice(at, Math.max(at, end))
  return end > at && !between.some((event) => event.type === 'hook' && event.outcome === 'blocked')
}

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

/** Operators and redirections, white space, comments, quoted parts, escaped characters, or one character. */
const tokens =
  /&>>?|\d*[<>]{1,3}&?|[;&|()`\n]|\$\(|\\\n|[^\S\n]+|(?<=^|\s)#[^\n]*|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]|[\s\S]/g

/**
 * Removes quotes and backslashes, redirections and here-documents; `$(…)` and backquotes are separate commands.
 * Linear in the length of any text.
 */
export function parseShellCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | null = null
  let isTarget = false
  const endWord = () => {
    if (word === null) return
    if (!isTarget) words.push(word)
    isTarget = false
    word = null
  }
  const endCommand = () => {
    endWord()
    isTarget = false
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (const [token] of withoutDocuments(text).matchAll(tokens)) {
    if (/^(?:&>|\d*[<>])/.test(token)) {
      endWord()
      isTarget = true
    } else if (/^(?:[;&|()`\n]|\$\()/.test(token)) endCommand()
    else if (/^(?:\s|\\\n|#.)/.test(token)) endWord()
    else word = (word ?? '') + unquoteToken(token)
  }
  endCommand()
  return commands
}

function unquoteToken(token: string): string {
  if (token.length > 1 && token.startsWith("'")) return token.slice(1, -1)
  if (token.length > 1 && token.startsWith('"')) return token.slice(1, -1).replaceAll(/\\([\\"$`])/g, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}

/** The content of a here-document is not a command. */
function withoutDocuments(text: string): string {
  let ends: string[] = []
  const lines = text.split('\n').filter((line) => {
    const [end] = ends
    if (end !== undefined) {
      if (line.trim() === end) ends = ends.slice(1)
      return false
    }
    ends = [...line.matchAll(/(?<!<)<<-?\s*(['"]?)(\w+)\1/g)].map(([, , tag = '']) => tag)
    return true
  })
  return lines.join('\n')
}
