/** What a sandboxed process may see, change and reach: pure data, part of a task, the same for every mechanism. */
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { isSubpath } from '../fs/inside_folder.ts'

/** none: not even loopback of this machine; endpoints: only the hosts of these URLs, through a bridge; open: as the user. */
type SandboxNetwork = 'none' | 'open' | { endpoints: readonly string[] }

export interface SandboxLimits {
  /** Bytes of the sandbox's own /tmp, of /dev/shm and of each scratch folder. */
  tmpBytes: number
  /** Bytes of the largest file that can be written. */
  fileBytes: number
  /** Processes and threads at a time; enforced where detectProcessLimit says so. */
  processes: number
}

/** A folder of this machine and its absolute path inside, where it is shown in place of its own. */
export interface SandboxPlace {
  from: string
  at: string
}

export interface SandboxPolicy {
  /** Readable files and folders in addition to the system's, absolute. */
  readable: readonly string[]
  /** Writable folders, absolute. */
  writable: readonly string[]
  /** Read-only parts of writable folders (the skill), absolute. */
  readOnly: readonly string[]
  /** Invisible even inside a readable folder (the suite, the results), absolute. */
  hidden: readonly string[]
  /** Own writable folders, empty at first and removed with the process, absolute. */
  scratch: readonly string[]
  network: SandboxNetwork
  /** Where folders of the policy, and what is below them, are shown at another path; the innermost first. Absent: nowhere. */
  places?: readonly SandboxPlace[]
  /** A folder that is shown as /tmp; null: an empty one that is removed with the process. */
  tmp: string | null
  limits: SandboxLimits
}

/** A mechanism that works on this machine, with the policy to enforce. `program`: absolute path. */
export interface Sandbox {
  mechanism: 'bubblewrap' | 'seatbelt' | 'container'
  program: string
  policy: SandboxPolicy
  /** The running container that enforces the policy, and the environment of its client; absent: another mechanism. */
  container?: { name: string; clientEnv: Readonly<Record<string, string>> }
}

/** How a process starts, inside a sandbox or not. */
export interface Invocation {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

export interface EnteredSandbox extends AsyncDisposable {
  /** What to start in place of the original process, with these pipes. */
  invocation: Invocation & { pipes?: readonly ((pipe: Duplex) => void)[] }
}

/** The path inside of a folder of this machine: itself, or below a place. */
export function showPlace(folder: string, places: SandboxPolicy['places'] = []): string {
  const place = places.find(({ from }) => isSubpath(folder, from))
  return place === undefined ? folder : path.join(place.at, path.relative(place.from, folder))
}

/** A text with the paths inside in place of those of this machine. */
export function showPlaces(text: string, places: SandboxPolicy['places'] = []): string {
  return places.reduce((shown, { from, at }) => shown.replaceAll(from, () => at), text)
}

/** What starts inside, with the paths there. */
export function showInvocation({ command, args, cwd, env }: Invocation, places: SandboxPolicy['places']): Invocation {
  const show = (text: string) => showPlaces(text, places)
  const shown = Object.entries(env).map(([name, value]) => [name, show(value)] as const)
  return { command: show(command), args: args.map(show), cwd: showPlace(cwd, places), env: Object.fromEntries(shown) }
}

/** The sandbox for an agent CLI: it adds the model's endpoints (URLs, if any) when the network is none. */
export function withEndpoint(sandbox: Sandbox | null, ...endpoints: string[]): Sandbox | null {
  if (sandbox === null || sandbox.policy.network !== 'none' || endpoints.length === 0) return sandbox
  if (sandbox.mechanism === 'container') return sandbox // it has no bridge
  return { ...sandbox, policy: { ...sandbox.policy, network: { endpoints } } }
}

/** The sandbox with a folder as its /tmp, so that one command finds there what another left. */
export function withTmp(sandbox: Sandbox, tmp: string | null): Sandbox {
  return { ...sandbox, policy: { ...sandbox.policy, tmp } }
}

/** The sandbox with further readable files or folders, for the program itself. */
export function withReadable(sandbox: Sandbox | null, paths: readonly string[]): Sandbox | null {
  if (sandbox === null) return null
  return { ...sandbox, policy: { ...sandbox.policy, readable: [...sandbox.policy.readable, ...paths] } }
}
