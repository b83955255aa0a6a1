/** Limits a sandboxed command: words before the sandbox's program, and shell commands inside. */
import type { SandboxLimits } from '../policy.ts'
import { detectProcessLimit, makeGroup } from '../process_limit.ts'

export interface CommandLimits {
  /** Words that go before the sandbox's program. */
  outside: string[]
  /** Commands for the shell that starts the command. */
  inside: string
  /** Removes the process group of the limit. */
  end(): Promise<void>
}

/** A shell counts file sizes in blocks of 512 bytes. */
const block = 512

/** Rejects with the system's error when a group can't be created. */
export async function prepareLimits({ fileBytes, processes }: SandboxLimits): Promise<CommandLimits> {
  const there = detectProcessLimit()
  const files = `ulimit -f ${Math.ceil(fileBytes / block)}`
  // bash takes -u, dash -p; a lower limit of the user's own stays in force
  const inside = there.kind === 'user' ? `${files}; ulimit -u ${processes} || ulimit -p ${processes}` : files
  if (there.kind !== 'cgroup') return { outside: [], inside, end: async () => {} }
  const group = await makeGroup(there.folder, processes)
  return { outside: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', group.joinFile], inside, end: group.end }
}
