/** What a sandboxed process may see, change and reach: pure data, carried in a task, the same for every mechanism. */

/** none: not even loopback of this machine; endpoints: the hosts of these URLs and nothing else, through a bridge; open: as the user. */
type SandboxNetwork = 'none' | 'open' | { endpoints: readonly string[] }

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
  /** Bytes of /tmp, /dev/shm and each scratch folder, all of its own. */
  tmpBytes: number
}

/** A mechanism that works on this machine with the policy that it enforces. `program`: its absolute path. */
export interface Sandbox {
  mechanism: 'bubblewrap' | 'seatbelt'
  program: string
  policy: SandboxPolicy
}

/** The sandbox for an agent CLI: it reaches its model's endpoint (a URL, or several) where nothing was reachable. */
export function withEndpoint(sandbox: Sandbox | null, ...endpoints: string[]): Sandbox | null {
  if (sandbox === null || sandbox.policy.network !== 'none') return sandbox
  return { ...sandbox, policy: { ...sandbox.policy, network: { endpoints } } }
}

/** The sandbox with further files or folders that may be read: those of the program itself. */
export function withReadable(sandbox: Sandbox | null, paths: readonly string[]): Sandbox | null {
  if (sandbox === null) return null
  return { ...sandbox, policy: { ...sandbox.policy, readable: [...sandbox.policy.readable, ...paths] } }
}
