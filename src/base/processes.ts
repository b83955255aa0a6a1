/** Finding and ending processes that left their group: they still carry the mark of their run in the environment. */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './error.ts'
import { beginLook, markOf, runMark } from './process_marks.ts'

/**
 * Processes whose environment holds `WHETSTONE_RUN=<mark>`, looked at after the call. Works where /proc shows
 * environments (Linux); elsewhere the list is empty and only the process group is ended.
 */
export async function markedProcesses(mark: string): Promise<number[]> {
  const found = (await nextLook()).get(mark) ?? []
  return found.filter((pid) => markOf(pid) === mark) // what is remembered may have ended meanwhile
}

type Marks = ReadonlyMap<string, number[]>

/** The look that has not begun yet, for all who ask meanwhile: runs that end together share it. */
let coming: Promise<Marks> | null = null
/** The one under way. */
let running: Promise<void> = Promise.resolve()
/** When the last one ended and how long it kept this thread, in milliseconds: looking takes a tenth of the time at most. */
const last = { ended: 0, took: 0 }

function nextLook(): Promise<Marks> {
  coming ??= running.then(afterPause).then(() => {
    coming = null
    const marks = look()
    running = marks.then(() => {})
    return marks
  })
  return coming
}

async function afterPause(): Promise<void> {
  const wait = last.ended + 9 * last.took - performance.now()
  if (wait > 0) await sleep(wait)
}

/**
 * All marks there are. Each file is read at once: for many small ones the asynchronous way takes ten times the work. What others do
 * between the parts is not counted as time that looking took: on a busy thread it is most of it.
 */
async function look(): Promise<Marks> {
  const { numbers: names, markOf: markNow } = beginLook(processNumbers, 20 * last.took)
  const marks = new Map<string, number[]>()
  const before = cpuMs()
  let took = 0
  for (let at = 0; at < names.length; at += 250) {
    if (at > 0) await immediate() // a host with very many processes must not stop everything else
    const start = performance.now()
    for (const name of names.slice(at, at + 250)) {
      const mark = markNow(name)
      if (mark !== null && Number(name) !== process.pid) marks.set(mark, [...(marks.get(mark) ?? []), Number(name)])
    }
    took += performance.now() - start
  }
  last.ended = performance.now()
  last.took = Math.max(Math.min(took, cpuMs() - before), took / 4) // one that only waits for the system keeps this thread as well
  return marks
}

/** Of this process until now, in milliseconds: it does not grow while others have the processors. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function processNumbers(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
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

/** endMarked for several marks, at once, and as far as it can. */
export function endMarkedNow(marks: ReadonlySet<string>, rounds = 3): void {
  for (let round = 0; round < rounds; round += 1) {
    const found = processNumbers().filter((pid) => marks.has(markOf(pid) ?? ''))
    if (found.length === 0) return
    for (const pid of found) kill(Number(pid))
  }
}

/** Marks with which this process started something. */
const used = new Set<string>()

/** A process is about to be started with this environment. */
export function noteStart(env: Readonly<Record<string, string>>): void {
  const mark = env[runMark]
  if (mark !== undefined) used.add(mark)
}

/** endMarked for a mark that this process alone gives: where it started nothing with it nobody looks. */
export async function endStarted(mark: string): Promise<void> {
  if (used.delete(mark)) await endMarked(mark)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

let own: Promise<string | null> | null = null

/** When this process started. */
export function ownStart(): Promise<string | null> {
  own ??= processStart(process.pid)
  return own
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
