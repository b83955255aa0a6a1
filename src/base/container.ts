/** Running containers of docker and podman, which take the same words: a process enters one, and a later start removes one of a killed run. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { attempt } from './errors/attempt.ts'
import { loadExeca } from './process/execa.ts'
import { type EnteredSandbox, type Invocation, type Sandbox, showInvocation } from './sandbox/policy.ts'

export type ContainerEngine = 'docker' | 'podman'

interface ContainerProgram {
  container: string
  /** Absolute path in the container. */
  cwd: string
  /** Its complete environment; of PATH only what the image does not have is added. */
  env: Readonly<Record<string, string>>
  /** The client's own environment. */
  clientEnv: Readonly<Record<string, string>>
  /** Marks the program and all that it starts. */
  id: string
  command: readonly string[]
}

/** The variable with the id of a program in a container. */
const programMark = 'WHETSTONE_PROGRAM'

/** Ends every process with this id but the shell itself, which has read the list of processes before. */
const endOthers = `for one in /proc/[0-9]*; do
  [ "$one" = "/proc/$$" ] || { grep -qsa "$id" "$one/environ" && kill -9 "\${one#/proc/}"; }
done 2>/dev/null`

/** Runs the words after the first two; then ends what they left in the background, which would keep the output open. */
const runScript = `PATH="$PATH:$1" id="${programMark}=$2"
export PATH
shift 2
"$@"
status=$?
${endOthers}
exit $status`

/**
 * Starts a program in a running container. Values of variables are in the client's environment and not among its words, which other
 * users can see, unless the client itself would read them.
 */
export function programWords({ container, cwd, env, clientEnv, id, command }: ContainerProgram): {
  words: string[]
  env: Record<string, string>
} {
  const { PATH = '', ...variables } = { ...env, [programMark]: id }
  const passed = Object.entries(variables).filter(([name]) => !clientNames.test(name))
  const given = Object.entries(variables).map(([name, value]) => (clientNames.test(name) ? `${name}=${value}` : name))
  return {
    words: [
      ...['exec', '--interactive', '--workdir', cwd],
      ...given.flatMap((word) => ['--env', word]),
      ...[container, 'sh', '-c', runScript, 'sh', PATH, id, ...command],
    ],
    env: { ...clientEnv, ...Object.fromEntries(passed) },
  }
}

/** Ends what a program left running after its client was ended, which does not end it. */
export function endProgramWords(container: string, id: string): string[] {
  return ['exec', container, 'sh', '-c', `id="${programMark}=$1"\n${endOthers}`, 'sh', id]
}

/** Opens the files below a folder of a container, so that this user can remove files of any owner. */
export function openFilesWords(container: string, folder: string): string[] {
  return ['exec', container, 'chmod', '-R', 'a+rwX', folder]
}

export function removeWords(container: string): string[] {
  return ['rm', '--force', '--volumes', container]
}

const clientNames =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|XDG_\w+|DOCKER_\w+|BUILDKIT_\w+|BUILDX_\w+|CONTAINERS?_\w+|REGISTRY_AUTH_FILE|SSH_AUTH_SOCK|LD_LIBRARY_PATH|DBUS_\w+)$/

export function clientEnvironment(user: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = Object.entries(user).flatMap(([name, value]) =>
    value !== undefined && clientNames.test(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(found)
}

/** What ends after at most this time, in milliseconds, when the client of a program was ended. */
const endingMs = 10_000

/** Throws when the sandbox names no container, which is a bug. */
export function enterContainer(
  outside: Invocation & { signal?: AbortSignal },
  { program, policy, container }: Sandbox,
): EnteredSandbox {
  if (container === undefined) throw new Error('the sandbox has no container')
  const id = randomBytes(8).toString('hex')
  const { command, args, env, cwd } = showInvocation(outside, policy.places)
  const { words, env: given } = programWords({
    container: container.name,
    cwd,
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
      const options = { env: container.clientEnv, extendEnv: false, timeout: endingMs, reject: false }
      await loadExeca().execa(program, ending, options) // it fails where the program is gone
    },
  }
}

const noteName = 'container'
const notePattern = /^(docker|podman) (whetstone-[0-9a-f]{24})\n$/

/** Call before the container starts. */
export function noteContainer(temp: string, engine: string, name: string): void {
  writeFileSync(path.join(temp, noteName), `${engine} ${name}\n`)
}

/** Milliseconds that an engine gets to remove a container. */
const removalMs = 30_000

/** Removes the container that the folder's note names, if any. Synchronous, because the program may be about to end. */
export function removeNotedContainer(folder: string, user: NodeJS.ProcessEnv = process.env): void {
  const [, engine, name] = notePattern.exec(attempt(() => readFileSync(path.join(folder, noteName), 'utf8'), '')) ?? []
  if (engine === undefined || name === undefined) return
  const env = clientEnvironment(user)
  for (const words of [openFilesWords(name, path.join(folder, 'world')), removeWords(name)])
    loadExeca().execaSync(engine, words, { env, extendEnv: false, stdio: 'ignore', timeout: removalMs, reject: false })
}
