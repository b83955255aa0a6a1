/** Finding and ending processes that left their group: they still carry the mark of their run in the environment. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './error.ts'

/** The environment variable that marks every process of a run. */
export const runMark = 'WHETSTONE_RUN'

/**
 * Processes whose environment holds `WHETSTONE_RUN=<mark>`. Works where /proc shows environments (Linux); elsewhere
 * the list is empty and only the process group is ended.
 */
export async function markedProcesses(mark: string): Promise<number[]> {
  const wanted = Buffer.from(`${runMark}=${mark}\0`)
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`).catch(() => null)
      return environment !== null && holds(environment, wanted) ? Number(pid) : null
    }),
  )
  return found.filter((pid) => pid !== null && pid !== process.pid).map(Number)
}

function holds(environment: Buffer, wanted: Buffer): boolean {
  const at = environment.indexOf(wanted)
  return at === 0 || (at > 0 && environment[at - 1] === 0)
}

/** Kills every process that carries the mark; looks again until none is left (they may fork), at most `rounds` times. Gives how many. */
export async function endMarked(mark: string, rounds = 20): Promise<number> {
  const ended = new Set<number>()
  for (let round = 0; round < rounds; round += 1) {
    const pids = await markedProcesses(mark)
    if (pids.length === 0) break
    for (const pid of pids) {
      ended.add(pid)
      kill(pid)
    }
    await sleep(10)
  }
  return ended.size
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

/** When a process started, in clock ticks since boot, to tell it from a later one with its number; null when it is gone or unknown. */
export async function processStart(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** Whether the process that had this number and start is still there. */
export async function isAlive(pid: number, start: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  return start === null || (await processStart(pid)) === start
}
