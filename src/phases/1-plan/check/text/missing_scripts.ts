/** Finds scripts that SKILL.md asks agents to run and that the skill does not contain. */
import path from 'node:path'

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
