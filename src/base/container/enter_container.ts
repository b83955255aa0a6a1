/** Moves a process into a running container. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { EnteredSandbox, Invocation } from '../sandbox/invocation.ts'
import { type Sandbox, showPlace } from '../sandbox/policy.ts'
import { endProgramWords, programWords } from './container_words.ts'

/** What ends after at most this time, in milliseconds, when the client of a program was ended. */
const endingMs = 10_000

/** Throws when the sandbox names no container, which is a bug. */
export function enterContainer(
  outside: Invocation & { signal?: AbortSignal },
  { program, policy, container }: Sandbox,
): EnteredSandbox {
  if (container === undefined) throw new Error('the sandbox has no container')
  const id = randomBytes(8).toString('hex')
  const { command, args, env, cwd } = outside
  const { words, env: given } = programWords({
    container: container.name,
    cwd: showPlace(cwd, policy.places),
    env,
    clientEnv: container.clientEnv,
    id,
    command: [command, ...args],
  })
  return {
    invocation: { command: program, args: words, cwd: '/', env: given },
    async [Symbol.asyncDispose]() {
      if (outside.signal?.aborted !== true) return
      const ending = endProgramWords(container.name, id)
      await promisify(execFile)(program, ending, { env: container.clientEnv, timeout: endingMs }).catch(() => {}) // it is gone
    },
  }
}
