/** Ends a child with its whole process group: SIGTERM, then SIGKILL after a bounded wait. */
import type { ChildProcess } from 'node:child_process'
import { errnoCode } from '../errors/error.ts'
import { waitActiveTime } from '../time/active_time.ts'

/** SIGTERM to the child's group, then SIGKILL if the child is still there after `graceMs` milliseconds. */
export async function endProcessGroup(child: ChildProcess, exit: Promise<unknown>, graceMs: number): Promise<void> {
  killProcessGroup(child, 'SIGTERM')
  const ended = exit.then(
    () => true,
    () => true,
  )
  if (await Promise.race([ended, waitActiveTime(graceMs).then(() => false)])) return
  killProcessGroup(child, 'SIGKILL')
}

/** Signals the child and its children. Ignores a group that has ended. */
export function killProcessGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (errnoCode(error) !== 'ESRCH' && errnoCode(error) !== 'EPERM') throw error
  }
}
