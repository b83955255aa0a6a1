/** Finds and ends processes that left their group: they still carry the mark of their run in the environment. */
import { readFileSync } from 'node:fs'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { attempt, isErrno } from '../errors/attempt.ts'
import { errnoCode } from '../errors/error.ts'
import { readNames } from '../fs/tree_size.ts'
import { readProcessMark, runMark } from './process_marks.ts'

/**
 * Processes whose environment contains `PROCESS_GROUP_MARK=<mark>`, scanned after the call. Works where /proc shows
 * environments (Linux); elsewhere the list is empty, and only the process group is ended.
 */
export async function findMarkedProcesses(mark: string): Promise<number[]> {
  const found = (await nextScan()).get(mark) ?? []
  return found.filter((pid) => readProcessMark(pid) === mark) // a process may have ended since the scan, and another may have its number
}

type Marks = ReadonlyMap<string, number[]>

/** The next scan, shared by all that ask before it begins: a thousand runs may stop together. */
let pendingScan: Promise<Marks> | null = null
let currentScan: Promise<unknown> = Promise.resolve()

function nextScan(): Promise<Marks> {
  pendingScan ??= currentScan.then(() => {
    pendingScan = null
    const marks = scanMarks()
    currentScan = marks
    return marks
  })
  return pendingScan
}

async function scanMarks(): Promise<Marks> {
  const marks = new Map<string, number[]>()
  for (const [at, name] of processNumbers().entries()) {
    if (at % 250 === 249) await immediate() // other work must continue on a host with very many processes
    const mark = readProcessMark(name)
    if (mark !== null && Number(name) !== process.pid) marks.set(mark, [...(marks.get(mark) ?? []), Number(name)])
  }
  return marks
}

function processNumbers(): string[] {
  return readNames('/proc').filter((name) => /^\d+$/.test(name))
}

/** Kills every process that carries the mark, until none is left (they may fork), in at most 20 rounds. Returns their number. */
export async function endMarked(mark: string): Promise<number> {
  const ended = new Set<number>()
  for (let round = 0; round < 20; round += 1) {
    const pids = await findMarkedProcesses(mark)
    if (pids.length === 0) break
    for (const pid of pids) {
      ended.add(pid)
      killNow(pid)
    }
    await sleep(10)
  }
  return ended.size
}

/** endMarked for several marks, synchronously, as far as possible. */
export function endMarkedNow(marks: ReadonlySet<string>): void {
  for (let round = 0; round < 3; round += 1) {
    const found = processNumbers().filter((pid) => marks.has(readProcessMark(pid) ?? ''))
    if (found.length === 0) return
    for (const pid of found) killNow(Number(pid))
  }
}

const usedMarks = new Set<string>()

/** Call before a process starts with this environment. */
export function noteStart(env: Readonly<Record<string, string>>): void {
  const mark = env[runMark]
  if (mark !== undefined) usedMarks.add(mark)
}

/** endMarked for a mark that only this process uses; does nothing when no process was started with it. */
export async function endStarted(mark: string): Promise<void> {
  if (usedMarks.delete(mark)) await endMarked(mark)
}

/** Sends SIGKILL; ignores a process that is gone. */
export function killNow(pid: number): void {
  attempt(() => process.kill(pid, 'SIGKILL'), false, isErrno('ESRCH'))
}

export function readOwnStart(): string | null {
  return readProcessStart(process.pid)
}

/** When a process started, in clock ticks since boot, which separates it from a later one with its number; null: gone or not known. */
export function readProcessStart(pid: number): string | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), null)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

export async function isAlive(pid: number, start: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errnoCode(error) === 'ESRCH') return false
  }
  return start === null || readProcessStart(pid) === start
}
