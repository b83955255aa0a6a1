/** Finds the scripts that a shell command starts by their path, and those of SKILL.md that the skill does not contain. */
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

export interface MissingScript {
  /** Relative to the skill. */
  script: string
  /** Index of the line in the body, from 0. */
  line: number
}

const interpreter = String.raw`(?:(?:python|python3|node|bash|sh|zsh|ruby|perl|php|deno run|bun|bun run|tsx|npx tsx|uv run|uv run python|Rscript|pwsh)(?:\s+-{1,2}[\w-]+)*\s+)`
const root = String.raw`(?:\.\/|\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR|CLAUDE_PLUGIN_ROOT)\}?\/|\{baseDir\}\/)`

/** A command: `python scripts/x.py`, `./scripts/x.sh`, `node "scripts/x.mjs"`. A bare path may be an example. */
const command = new RegExp(String.raw`(?:${interpreter}["']?${root}?|(?<![\w/.])${root})(scripts\/[\w./-]*\w)`, 'g')

/** Words with which a skill asks the agent to create a script before running it. */
export const creationWords = /\b(?:creat|writ|sav|generat|add|put)(?:e|es|ing)?\b/i

/** Returns each once, at its first line. `files`: relative, as agents see them. A script that the agent has to create is not missing. */
export function missingScripts(body: readonly string[], files: readonly string[]): MissingScript[] {
  const known = new Set(files.map((file) => file.split(path.sep).join('/')))
  const found = new Map<string, number>()
  for (const [line, text] of body.entries()) {
    for (const [, script = ''] of text.matchAll(command)) {
      const plain = path.posix.normalize(script)
      if (!known.has(plain) && !found.has(plain)) found.set(plain, line)
    }
  }
  const made = (script: string) => body.some((text) => text.includes(script) && creationWords.test(text))
  return [...found].flatMap(([script, line]) => (made(script) ? [] : [{ script, line }]))
}
