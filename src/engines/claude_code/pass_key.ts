/** Passes an agent its API key so that the programs it starts don't get it: through a pipe that is empty once it has been read. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

export const claudeKeyName = 'ANTHROPIC_API_KEY'

export interface PipedKey extends Disposable {
  /** Starts a program with the key in its pipe: these words come before the program and its arguments. */
  prefix: readonly [command: string, ...args: string[]]
}

/** The file descriptor from which Claude Code reads the key, before it starts anything. */
export const claudeKeyDescriptor = 3

/** A short here-document is a pipe; when Claude Code reads it, the shell that wrote it has become Claude Code, and the key's file is gone. */
const script = `exec ${claudeKeyDescriptor}<<KEY
$(cat "$1"; rm -f "$1")
KEY
shift
exec "$@"`

/** null: there is no API key or no HOME, or the task runs no commands. Claude Code takes other credentials only from its environment. */
export function passKeyViaPipe({ credentials, env, tools, sessionId }: EngineTask): PipedKey | null {
  const key = credentials[claudeKeyName]
  if (!key || tools !== 'all' || env.HOME === undefined) return null
  const file = path.join(env.HOME, `.key-${sessionId}`)
  rmSync(file, { force: true }) // in a later turn, the agent may have put a link there
  writeFileSync(file, key, { mode: 0o600, flag: 'wx' })
  return {
    prefix: ['/bin/sh', '-c', script, 'sh', file],
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  }
}
