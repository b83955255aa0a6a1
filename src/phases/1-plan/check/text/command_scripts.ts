/** Finds the scripts that a shell command starts by their path, and those of SKILL.md that the skill does not contain. */
import { existsSync } from 'node:fs'
import path from 'node:path'

const interpreters =
  /^(?:python[\d.]*|node|bash|sh|zsh|dash|ruby|perl|php|deno|bun|tsx|ts-node|Rscript|pwsh|pytest|source|\.)$/
/** Words between an interpreter and its script. */
const launchers = new Set(['run', 'exec', 'env', 'npx', 'uv', 'sudo', 'time', 'timeout'])
/** Flags after which the program is not a file. */
const inline = /^-(?:[cemp]|-eval|-print|-check|-test|-version|V|v)$/
const isScriptName = /^[\w@.-][\w@./-]*\.(?:py|m?js|cjs|ts|mts|sh|bash|rb|pl|php|R|ps1)$/

/** Returns paths relative to the working folder; none if the command leaves it. What it writes or fetches itself is left out. */
export function findCommandScripts(run: string): string[] {
  if (/(?:^|[;&|(\n])\s*(?:cd|pushd)\s/.test(run)) return []
  const found = run.split(/&&|\|\||[;|\n]/).flatMap((part) => {
    const words = part
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/^["']|["']$/g, ''))
    const name = findScript(words.filter((word) => !/^\w+=/.test(word) && word !== '!'))
    return name === null ? [] : [name.replace(/^(?:\.\/)+/, '')]
  })
  return [...new Set(found)].filter((name) => !isWritten(run, name))
}

function findScript(words: readonly string[]): string | null {
  const start = words.findIndex((word) => !launchers.has(word) && !/^\d+$/.test(word))
  const [first = '', ...rest] = words.slice(Math.max(0, start))
  if (/^(?:\.\/|[\w.-]+\/)/.test(first)) return isScriptName.test(first.replace(/^\.\//, '')) ? first : null
  if (!interpreters.test(first)) return null
  const after = rest.slice(rest[0] === 'run' ? 1 : 0)
  const script = after.find((word) => !word.startsWith('-'))
  const flags = after.slice(0, script === undefined ? after.length : after.indexOf(script))
  if (script === undefined || flags.some((flag) => inline.test(flag))) return null
  return isScriptName.test(script.replace(/^\.\//, '')) ? script : null
}

/** The command names the file before, as what it copies to or fetches. */
function isWritten(run: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?:>|\\b(?:-o|tee|touch|cp|mv|curl|wget|ln)\\b[^;&|\\n]*)\\s*["']?(?:\\./)?${escaped}`).test(run)
}

export interface MissingFile {
  /** Relative to the skill. */
  name: string
  /** Index of the line in the text, from 0. */
  line: number
}

const interpreter = String.raw`(?:(?:python|python3|node|bash|sh|zsh|ruby|perl|php|deno run|bun|bun run|tsx|npx tsx|uv run|uv run python|Rscript|pwsh)(?:\s+-{1,2}[\w-]+)*\s+)`
const root = String.raw`(?:\.\/|\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR|CLAUDE_PLUGIN_ROOT)\}?\/|\{baseDir\}\/)`

/** A command: `python scripts/x.py`, `./scripts/x.sh`, `node "scripts/x.mjs"`. A bare path, or one with a part to fill in, may be an example. */
const command = new RegExp(
  String.raw`(?:${interpreter}["']?${root}?|(?<![\w/.])${root})(scripts\/[\w./-]*\w)(?![\w./-]*[<{*$])`,
  'g',
)

/** Whether the sentence before a place in a line forbids what comes next; for an item, also the heading or the line above the list. */
export function isForbidden(lines: readonly string[], line: number, index: number): boolean {
  let at = line
  while (at > 0 && /^\s*(?:[-*+]\s|[>|`]|\d+[.)]|$)/.test(lines[at] ?? '')) at -= 1
  const above = at < line && /^#|:\W*$/.test(lines[at] ?? '') ? lines[at] : ''
  const before = `${above} ${lines[line]?.slice(0, index)}`
  return forbidding.test(before.replaceAll(/\b(?:e\.g|i\.e)\.,?|\b\d+\./g, ''))
}

const forbidding =
  /\b(?:never|not|cannot|\w+n['’]t|avoid|forbid\w*|prohibit\w*|den(?:y|ies)|instead of|rather than)\b(?:(?!\b(?:forget|skip|omit|miss|without|until|unless|before|but)\b)[^.;!?,])*$/i

/** The line says that its script is one of the project that the agent works on. */
const ofProject =
  /\b(?:the|your|their|its|user['’]s|customer['’]s|target|project['’]s)\s+(?:own\s+)?(?:repo(?:sitory)?|project|codebase)\b(?!['’]s skill)/i

/** The names of files that stand for any. */
export const isPlaceholder =
  /\/(?:(?:my|your|some)[-_][\w-]*|(?:(?:the|any|new|script|file|tool|skill|command|module|example|sample)[-_]?)*(?:x+|foo|bar|baz|name|file|filename|script|topic|example\d*|sample|placeholder|here))(?:\.\w+)?$|xxx|\.\.\./i

/** Returns each once, at its first line. `files`: relative, as agents see them; `folder`: of the skill, absolute. */
export function missingScripts(body: readonly string[], files: readonly string[], folder: string): MissingFile[] {
  const found = new Map<string, number>()
  for (const [line, text] of body.entries()) {
    for (const { 1: script = '', index } of text.matchAll(command)) {
      const name = path.posix.normalize(script)
      if (isPlaceholder.test(name) || ofProject.test(text) || isForbidden(body, line, index)) continue
      if (!found.has(name)) found.set(name, line)
    }
  }
  return dropKnown(found, body, { files, folder })
}

/** Without the files of the skill, its plugin and its project, and those that the text asks the agent to create. */
export function dropKnown(
  found: ReadonlyMap<string, number>,
  lines: readonly string[],
  { files, folder }: { files: readonly string[]; folder: string },
): MissingFile[] {
  const known = new Set(files.map((file) => file.split(path.sep).join('/')))
  const isMade = (name: string) => lines.some((text) => text.includes(name) && creationWords.test(text))
  const isThere = (name: string) => known.has(name) || isMade(name) || isAround(folder, name)
  return [...found].flatMap(([name, line]) => (isThere(name) ? [] : [{ name, line }]))
}

const creationWords = /\b(?:creat|writ|sav|generat|add|put)(?:e|es|ing)?\b/i

/** Whether the plugin or the project has it: in a folder at most four above the skill, and not above its repository. */
function isAround(folder: string, script: string): boolean {
  let at = folder
  for (let up = 0; up < 4 && !existsSync(path.join(at, '.git')); up += 1) {
    at = path.dirname(at)
    if (existsSync(path.join(at, script))) return true
  }
  return false
}
