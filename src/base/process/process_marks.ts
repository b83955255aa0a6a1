/** Reads the mark that the processes of a run carry in their environment. */
import { readFileSync } from 'node:fs'
import { attempt } from '../errors/attempt.ts'

/** The environment variable that marks every process of a run. */
export const runMark = 'PROCESS_GROUP_MARK'

/** The present mark of a process; null: none, the process is gone, or its environment is not readable. */
export function readProcessMark(pid: string | number): string | null {
  const environment = attempt(() => `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`, '')
  const at = environment.indexOf(markPrefix)
  return at < 0 ? null : environment.slice(at + markPrefix.length, environment.indexOf('\0', at + markPrefix.length))
}

const markPrefix = `\0${runMark}=`
