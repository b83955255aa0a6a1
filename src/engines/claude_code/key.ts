/** Hands an agent its API key so that what it runs does not get it: from a file that is gone once it was read. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

export const keyName = 'ANTHROPIC_API_KEY'

export interface LentKey extends Disposable {
  /** The shell command that gives the key, once: Claude Code's `apiKeyHelper`. */
  helper: string
}

/** null: there is no such key, or the task runs no commands. Other credentials Claude Code takes from its environment only. */
export function lendKey({ credentials, env, tools, sessionId }: EngineTask): LentKey | null {
  const key = credentials[keyName]
  if (!key || tools !== 'all' || env.HOME === undefined) return null
  const file = path.join(env.HOME, `.key-${sessionId}`)
  writeFileSync(file, key, { mode: 0o600 })
  const quoted = `'${file.replaceAll("'", `'\\''`)}'`
  return {
    helper: `cat ${quoted} && rm -f ${quoted}`,
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  }
}
