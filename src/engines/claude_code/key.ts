/** Hands an agent its API key so that what it runs does not get it: through a pipe that is empty once it was read. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

export const keyName = 'ANTHROPIC_API_KEY'

export interface LentKey extends Disposable {
  /** Starts a program with the key in its pipe: these words before the program and its arguments. */
  prefix: readonly [command: string, ...args: string[]]
}

/** The descriptor under which Claude Code finds the key, and reads it before it starts anything. */
export const keyDescriptor = 3

/** A short here-document is a pipe; the shell that wrote it is the program by then, and its file is gone. */
const script = `exec ${keyDescriptor}<<KEY
$(cat "$1"; rm -f "$1")
KEY
shift
exec "$@"`

/** null: there is no such key, or the task runs no commands. Other credentials Claude Code takes from its environment only. */
export function lendKey({ credentials, env, tools, sessionId }: EngineTask): LentKey | null {
  const key = credentials[keyName]
  if (!key || tools !== 'all' || env.HOME === undefined) return null
  const file = path.join(env.HOME, `.key-${sessionId}`)
  writeFileSync(file, key, { mode: 0o600 })
  return {
    prefix: ['/bin/sh', '-c', script, 'sh', file],
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  }
}
