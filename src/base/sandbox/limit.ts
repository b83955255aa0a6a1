/** The words that put limits on a sandboxed command: some before the sandbox's program, some before what runs inside. */
import type { SandboxLimits } from './policy.ts'
import { makeGroup, processLimit } from './process_limit.ts'

export interface Limited {
  outside: string[]
  inside: string[]
  /** Removes what was made for it. */
  end(): Promise<void>
}

/** A shell counts file sizes in blocks of 512 bytes. */
const block = 512

/** Rejects with the error of the system where a group can't be made. */
export async function limit({ fileBytes, processes }: SandboxLimits): Promise<Limited> {
  const there = processLimit()
  const files = `ulimit -f ${Math.ceil(fileBytes / block)}`
  // bash says -u, dash -p; a lower limit of the user's own stands
  const own = there.kind === 'user' ? `${files}; ulimit -u ${processes} || ulimit -p ${processes}` : files
  const inside = ['/bin/sh', '-c', `{ ${own}; } 2>/dev/null; exec "$@"`, 'sh']
  if (there.kind !== 'cgroup') return { outside: [], inside, end: async () => {} }
  const group = await makeGroup(there.folder, processes)
  return { outside: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', group.joinFile], inside, end: group.end }
}
