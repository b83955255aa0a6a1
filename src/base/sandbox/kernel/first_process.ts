/**
 * The first process of a sandbox, pid 1 of its namespace. It starts the command only after Whetstone's answer, so that no agent outlives a
 * Whetstone that is killed during the start.
 *
 * The kernel kills a process when its parent dies only if the parent was alive when the process asked for it (PR_SET_PDEATHSIG).
 * bubblewrap asks twice: in its monitor, and last in the process that becomes pid 1. When that process asks Whetstone on a pipe and
 * gets an answer, both parents were alive after both requests. When Whetstone is gone, the pipe is at its end and pid 1 exits.
 */
import type { Duplex } from 'node:stream'

/** Descriptors that bubblewrap and the first process inherit, in the order of the pipes. */
export const filterDescriptor = 3
const confirmDescriptor = 4

/** The words that go before the command; `limits`: shell commands that run first. */
export function firstProcessWords(limits: string): string[] {
  const confirm = `echo ready >&${confirmDescriptor}; read -r answer <&${confirmDescriptor} || exit 1`
  // the shell stays, to reap orphans of the command; its own message about a killed command belongs in no stderr
  const run = `exec ${confirmDescriptor}>&- 3>&2 2>/dev/null; "$@" 2>&3 3>&-; exit $?`
  return ['/bin/sh', '-c', `{ ${limits}; } 2>/dev/null; ${confirm}; ${run}`, 'sh']
}

/** What Whetstone does at the other end of each pipe. */
export function firstProcessPipes(filter: Buffer): ((pipe: Duplex) => void)[] {
  return [(pipe) => pipe.end(filter), (pipe) => pipe.once('data', () => pipe.end('go\n'))]
}
