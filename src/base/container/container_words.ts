/** The command lines for docker and podman, which take the same words. Pure. */

export type ContainerEngine = 'docker' | 'podman'

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

export interface ContainerProgram {
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

/** Gives all files below these folders of a container to one owner: programs run as root there, who may not be the user here. */
export function ownWords(container: string, owner: string, folders: readonly string[]): string[] {
  const [user = '0'] = owner.split(':')
  const find = ['find', ...folders, '-xdev', '!', '-user', user, '-exec', 'chown', '-h', owner, '{}', '+']
  return ['exec', container, ...find]
}

/** Opens the files below a folder of a container, so that this user can remove files of any owner. */
export function openFilesWords(container: string, folder: string): string[] {
  return ['exec', container, 'chmod', '-R', 'a+rwX', folder]
}

export function removeWords(container: string): string[] {
  return ['rm', '--force', '--volumes', container]
}

/** Names of variables that a client reads. */
const clientNames =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|XDG_\w+|DOCKER_\w+|BUILDKIT_\w+|BUILDX_\w+|CONTAINERS?_\w+|REGISTRY_AUTH_FILE|SSH_AUTH_SOCK|LD_LIBRARY_PATH|DBUS_\w+)$/

/** The part of the user's environment that a client needs. */
export function clientEnvironment(user: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = Object.entries(user).flatMap(([name, value]) =>
    value !== undefined && clientNames.test(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(found)
}
