/** What a sandboxed process may see, change and reach: pure data, carried in a task, the same for every mechanism. */

/** none: not even loopback of this machine; endpoints: the hosts of these URLs and nothing else, through a bridge; open: as the user. */
type SandboxNetwork = 'none' | 'open' | { endpoints: readonly string[] }

export interface SandboxLimits {
  /** Bytes of an own /tmp, of /dev/shm and of each scratch folder. */
  tmpBytes: number
  /** Bytes of the largest file that can be written. */
  fileBytes: number
  /** Processes and threads at a time; enforced where `processLimit` says so. */
  processes: number
}

export interface SandboxPolicy {
  /** Files and folders beside those of the system that may be read, absolute. */
  readable: readonly string[]
  /** Folders that may be changed, absolute. */
  writable: readonly string[]
  /** Parts of writable folders that may only be read (the skill), absolute. */
  readOnly: readonly string[]
  /** What is unseen even where a readable folder holds it: the suite, the results, absolute. */
  hidden: readonly string[]
  /** Folders of their own to write to, empty at first and gone with the process, absolute. */
  scratch: readonly string[]
  network: SandboxNetwork
  /** A folder that is shown as /tmp; null: an empty one that is gone with the process. */
  tmp: string | null
  limits: SandboxLimits
}

/** A mechanism that works on this machine with the policy that it enforces. `program`: its absolute path. */
export interface Sandbox {
  mechanism: 'bubblewrap' | 'seatbelt'
  program: string
  policy: SandboxPolicy
}

/** The sandbox for an agent CLI: it reaches its model's endpoints (URLs, if any) where nothing was reachable. */
export function withEndpoint(sandbox: Sandbox | null, ...endpoints: string[]): Sandbox | null {
  if (sandbox === null || sandbox.policy.network !== 'none' || endpoints.length === 0) return sandbox
  return { ...sandbox, policy: { ...sandbox.policy, network: { endpoints } } }
}

/** The sandbox with a folder as its /tmp, so that what one command leaves there is found by the next. */
export function withTmp(sandbox: Sandbox, tmp: string | null): Sandbox {
  return { ...sandbox, policy: { ...sandbox.policy, tmp } }
}

/** The sandbox with further files or folders that may be read: those of the program itself. */
export function withReadable(sandbox: Sandbox | null, paths: readonly string[]): Sandbox | null {
  if (sandbox === null) return null
  return { ...sandbox, policy: { ...sandbox.policy, readable: [...sandbox.policy.readable, ...paths] } }
}
