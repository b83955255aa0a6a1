/** What a sandboxed process may see, change and reach: pure data, carried in a task, the same for every mechanism. */

/** none: not even loopback of this machine; endpoint: the host of this URL and nothing else, through a bridge; open: as the user. */
type SandboxNetwork = 'none' | 'open' | { endpoint: string }

export interface SandboxPolicy {
  /** Files and folders beside those of the system that may be read, absolute. */
  readable: readonly string[]
  /** Folders that may be changed, absolute. */
  writable: readonly string[]
  /** Parts of writable folders that may only be read (the skill), absolute. */
  readOnly: readonly string[]
  /** What is unseen even where a readable folder holds it: the suite, the results, absolute. */
  hidden: readonly string[]
  network: SandboxNetwork
  /** Bytes of /tmp and /dev/shm, each of its own. */
  tmpBytes: number
}

/** A mechanism that works on this machine with the policy that it enforces. `program`: its absolute path. */
export interface Sandbox {
  mechanism: 'bubblewrap' | 'seatbelt'
  program: string
  policy: SandboxPolicy
}

/** The sandbox for an agent CLI: it reaches its model's endpoint where nothing was reachable. */
export function withEndpoint(sandbox: Sandbox | null, url: string): Sandbox | null {
  if (sandbox === null || sandbox.policy.network !== 'none') return sandbox
  return { ...sandbox, policy: { ...sandbox.policy, network: { endpoint: url } } }
}

/** The sandbox with further files or folders that may be read: those of the program itself. */
export function withReadable(sandbox: Sandbox | null, paths: readonly string[]): Sandbox | null {
  if (sandbox === null) return null
  return { ...sandbox, policy: { ...sandbox.policy, readable: [...sandbox.policy.readable, ...paths] } }
}
