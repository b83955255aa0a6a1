/** The mark that a process carries in its environment, remembered from one look to the next: to read it takes far longer than to list all processes. */
import { readFileSync } from 'node:fs'

/** The environment variable that marks every process of a run. */
export const runMark = 'WHETSTONE_RUN'

/**
 * Looks further apart than this, in milliseconds, remember nothing. That a process has no mark is believed when it was so for as long:
 * one that is about to start a program still shows another's environment, or none.
 */
const memoryMs = 1000

interface Seen {
  /** Null: none. */
  mark: string | null
  /** When it was looked at first. */
  since: number
}

interface Look {
  at: number
  /** The number given last before it; 0 where the system does not say. */
  last: number
  seen: Map<string, Seen>
}

let before: Look = { at: 0, last: 0, seen: new Map() }

/** Begins a look; gives the mark of a process by its number, null where it has none. One look after the other. */
export function beginLook(): (pid: string) => string | null {
  const old = before
  const look: Look = { at: performance.now(), last: lastNumber(), seen: new Map() }
  before = look
  // numbers are given upwards, then from the start again: since the old look all above its last one up to this one's may be another's now
  const holds = look.at - old.at < memoryMs && old.last > 0 && look.last >= old.last
  const isNew = (pid: string) => Number(pid) > old.last && Number(pid) <= look.last
  return (pid) => {
    const known = holds && !isNew(pid) ? old.seen.get(pid) : undefined
    const isSure = known !== undefined && (known.mark !== null || look.at - known.since >= memoryMs)
    const seen = isSure ? known : { mark: markOf(pid), since: known?.since ?? look.at }
    look.seen.set(pid, seen)
    return seen.mark
  }
}

/** The mark of a process as it is now; null where it has none, is gone, or its environment may not be read. */
export function markOf(pid: string | number): string | null {
  const environment = environmentOf(pid)
  const at = environment.indexOf(wanted)
  return at < 0 ? null : environment.slice(at + wanted.length, environment.indexOf('\0', at + wanted.length))
}

const wanted = `\0${runMark}=`

function environmentOf(pid: string | number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`
  } catch {
    return '' // gone meanwhile, or another user's
  }
}

/** The number that the system gave last, also to threads: the fifth field of /proc/loadavg. 0 where it does not say. */
function lastNumber(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1)) || 0
  } catch {
    return 0
  }
}
