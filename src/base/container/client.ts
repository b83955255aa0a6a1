/** The client of a container engine, docker or podman: finds it, asks whether its engine answers, and runs its commands. */
import { runProcess } from '../process/spawn.ts'
import { findOnPath } from '../sandbox/programs.ts'
import { startTimeLimit } from '../time/time_limit.ts'
import { type ContainerEngine, clientEnvironment } from './container_words.ts'

export interface ContainerClient {
  engine: ContainerEngine
  /** Absolute path. */
  program: string
  /** Its own environment: the settings by which it finds its engine. */
  env: Readonly<Record<string, string>>
}

/** null: it is not on the user's PATH. */
export async function findContainerClient(
  engine: ContainerEngine,
  userEnv: Readonly<Record<string, string | undefined>>,
): Promise<ContainerClient | null> {
  const program = await findOnPath(engine, userEnv.PATH ?? '')
  return program === null ? null : { engine, program, env: clientEnvironment(userEnv) }
}

export type ContainerProbe = { ok: true; client: ContainerClient } | { ok: false; message: string; fix: string }

const fixes: Readonly<Record<ContainerEngine, string>> = {
  docker: 'start Docker (docker info shows whether it answers), or choose another --backend',
  podman: 'repair Podman (podman info shows the problem), or choose another --backend',
}

/** Whether the engine answers. Rejects only when aborted. */
export async function probeContainerClient(
  engine: ContainerEngine,
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<ContainerProbe> {
  const client = await findContainerClient(engine, env)
  if (client === null)
    return { ok: false, message: `no ${engine} on PATH`, fix: `install ${engine}, or choose another --backend` }
  const end = await runClient(client, ['info'], { seconds: 20, signal })
  return end.ok ? { ok: true, client } : { ok: false, message: `${engine} info: ${end.said}`, fix: fixes[engine] }
}

export interface ClientEnd {
  ok: boolean
  /** Without white space at its ends. */
  stdout: string
  /** Why it failed: the end of its stderr on one line, or how it ended. */
  said: string
}

/** Runs one command of the client. Rejects when aborted, or when this machine is short of a resource. */
export async function runClient(
  { program, env }: ContainerClient,
  args: readonly string[],
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<ClientEnd> {
  using limit = startTimeLimit(seconds * 1000, [signal])
  try {
    const end = await runProcess({ command: program, args, cwd: '/', env, signal: limit.signal })
    const lines = end.stderrTail.split('\n').map((line) => line.trim())
    const said = lines.filter(Boolean).slice(-3).join(' | ') || `exit code ${end.exitCode ?? end.signal}`
    return { ok: end.exitCode === 0, stdout: end.stdout.trim(), said }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.signal.aborted) throw error
    return { ok: false, stdout: '', said: `no end within ${seconds} s` }
  }
}
