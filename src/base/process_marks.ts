/** The marks that processes carry in their environments, remembered from one look to the next: to read them takes far longer than to list all processes. */
import { openSync, readFileSync, readlinkSync, readSync, statfsSync } from 'node:fs'

/** The environment variable that marks every process of a run. */
export const runMark = 'WHETSTONE_RUN'

/**
 * That a process has no mark is believed once it was read so for as long, in milliseconds (one that is about to start a program still shows
 * another's environment, or none), and for `trustMs` after that: it may start another program, or may not have been read.
 */
const memoryMs = 1000
const trustMs = 2000

interface Seen {
  /** Null: none. */
  mark: string | null
  /** When it was read first and last. */
  since: number
  read: number
}

interface Look {
  at: number
  /** The number given last before it; 0 where the system does not say. */
  last: number
  seen: Map<string, Seen>
}

let before: Look = { at: 0, last: 0, seen: new Map() }

/** A look at all processes. */
export interface ProcessLook {
  numbers: readonly string[]
  /** The mark of one of them; null where it has none. */
  markOf(pid: string): string | null
}

/** Begins a look, one after the other. `numbers` lists all processes; what a look less than `gapMs` ago saw is remembered, at least of the last second. */
export function beginLook(numbers: () => readonly string[], gapMs: number): ProcessLook {
  const old = before
  const look: Look = { at: performance.now(), last: lastNumber(), seen: new Map() }
  before = look
  const listed = numbers()
  const upTo = lastNumber()
  // numbers are given upwards, then from the start again: since the old look all above its last one up to now may be another's
  const holds = look.at - old.at < Math.max(memoryMs, gapMs) && old.last > 0 && upTo >= old.last
  const isNew = (pid: string) => Number(pid) > old.last && Number(pid) <= upTo
  const isSure = ({ mark, since, read }: Seen) =>
    mark !== null || (read - since >= memoryMs && look.at - read < trustMs)
  return {
    numbers: listed,
    markOf(pid) {
      const known = holds && !isNew(pid) ? old.seen.get(pid) : undefined
      const seen =
        known !== undefined && isSure(known)
          ? known
          : { mark: markOf(pid), since: known?.since ?? look.at, read: look.at }
      look.seen.set(pid, seen)
      return seen.mark
    },
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

/** Of /proc/loadavg; null where there is none that counts as /proc does. Undefined: not yet asked. */
let load: number | null | undefined
const text = Buffer.alloc(128)

/** The number that the system gave last, also to threads: the fifth field of /proc/loadavg. 0 where it does not say. */
function lastNumber(): number {
  try {
    load ??= countsAsProc() ? openSync('/proc/loadavg', 'r') : null
    if (load === null) return 0
    const length = readSync(load, text, 0, text.length, 0)
    return Number(text.toString('latin1', 0, length).trim().split(' ').at(-1)) || 0
  } catch {
    return 0
  }
}

/** statfs's type of Linux's proc. */
const proc = 0x9fa0

/** Containers may show another file there, or the /proc of their host: numbers of another count. */
function countsAsProc(): boolean {
  return statfsSync('/proc/loadavg').type === proc && readlinkSync('/proc/self') === String(process.pid)
}
