/** The client of a container engine, docker or podman: finds it, asks whether its engine answers, and runs its commands. */
import { type ContainerEngine, clientEnvironment } from '../../base/container.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { findOnPath } from '../../base/sandbox/programs.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'

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

export interface ContainerMount {
  /** Absolute path on this machine, and in the container. */
  from: string
  at: string
  readOnly?: boolean
}

export interface ContainerRequest {
  engine: ContainerEngine
  name: string
  mark: string
  image: string
  mounts: readonly ContainerMount[]
  workdir: string
  /** none: not even loopback of this machine; bridge: the engine's usual network; host: this machine's. */
  network: 'none' | 'bridge' | 'host'
  cpus?: number | undefined
  memoryMb?: number | undefined
  processes: number
  fileBytes: number
}

/** Starts a container that waits for programs. Everything runs as root in it, as in the images of Harbor tasks. */
export function startWords(request: ContainerRequest): string[] {
  const { name, mark, image, mounts, workdir, network, cpus, memoryMb, processes, fileBytes } = request
  return [
    ...['run', '--detach', '--init', '--pull', 'never', '--name', name, '--label', `whetstone=${mark}`],
    ...['--user', '0:0', '--workdir', workdir],
    ...(network === 'bridge' ? [] : ['--network', network]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`]),
    ...['--pids-limit', String(processes), '--ulimit', `fsize=${fileBytes}:${fileBytes}`],
    // without it Podman on a machine with SELinux can't read the mounted folders
    ...(request.engine === 'podman' ? ['--security-opt', 'label=disable'] : []),
    ...mounts.flatMap((mount) => ['--mount', mountWord(mount)]),
    ...['--entrypoint', 'sleep', image, 'infinity'],
  ]
}

/** In the form of CSV, whose fields may contain a comma in quotes. */
function mountWord({ from, at, readOnly = false }: ContainerMount): string {
  const fields = ['type=bind', `source=${from}`, `target=${at}`, ...(readOnly ? ['readonly'] : [])]
  return fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')
}

/** Gives all files below these folders of a container to one owner: programs run as root there, who may not be the user here. */
export function ownWords(container: string, owner: string, folders: readonly string[]): string[] {
  const [user = '0'] = owner.split(':')
  const find = ['find', ...folders, '-xdev', '!', '-user', user, '-exec', 'chown', '-h', owner, '{}', '+']
  return ['exec', container, ...find]
}
