/** Rooms: temporary folders in which something runs, known by their owner, so that a later start can clear what a killed one left. */
import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync, statfsSync, unlinkSync } from 'node:fs'
import { chmod, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { codeOf, UserError } from './error.ts'
import { endMarked, endMarkedNow, endStarted, isAlive, ownStart } from './processes.ts'

const prefix = 'whetstone-'
/** The folder's name says whose it is, and the mark of its processes, from the first moment. */
const roomName = /^whetstone-(?<pid>\d+)(?:\.(?<start>\d+))?-(?<mark>[0-9a-f]{24})$/

export interface Room {
  /** Absolute path of the folder. */
  path: string
  /** The mark that processes of this room carry in their environment. */
  mark: string
  /** Ends what still carries the mark. Nothing may be started in the room after it: its end does not look again. */
  endProcesses(): Promise<void>
  /** Ends what still carries the mark and removes the folder. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes a room. Use with `await using`, so that it always ends. Throws UserError where the temporary folder can't hold one. */
export async function openRoom(within = tmpdir()): Promise<Room> {
  const named = await nameRoom(within)
  makeFolder(named.folder)
  return roomIn(named, removeFolder)
}

/** Absolute path of a room's folder, and the mark in its name. */
export interface RoomName {
  folder: string
  mark: string
}

/** The room that is in a folder of this name; `end`: what becomes of the folder when nothing runs in it any more. */
export function roomIn({ folder, mark }: RoomName, end: (folder: string) => Promise<void>): Room {
  let isQuiet = false
  return {
    path: folder,
    mark,
    async endProcesses() {
      await endStarted(mark)
      isQuiet = true
    },
    async [Symbol.asyncDispose]() {
      if (!isQuiet) await endStarted(mark)
      await end(folder)
    },
  }
}

/** A temporary folder of this process in which nothing runs; cleared like a room where its owner was killed. */
export async function openScratch(): Promise<AsyncDisposable & { path: string }> {
  const { folder } = await nameRoom()
  makeFolder(folder)
  return { path: folder, [Symbol.asyncDispose]: () => removeFolder(folder) }
}

/** A name that no room has had. */
export async function nameRoom(within = tmpdir()): Promise<RoomName> {
  const start = await ownStart()
  const mark = randomUUID().replaceAll('-', '').slice(-24) // of those Node keeps many ready
  const folder = path.join(realTmp(within), `${prefix}${process.pid}${start === null ? '' : `.${start}`}-${mark}`)
  return { folder, mark }
}

/** A folder that only its owner may enter. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    throw unusableTmp(path.dirname(folder), error)
  }
}

const real = new Map<string, string>()

/** The folder of all rooms, links resolved: a sandbox shows a folder under the path that it really has. Throws UserError where there is none. */
export function realTmp(given = tmpdir()): string {
  try {
    const place = real.get(given) ?? realpathSync(given)
    real.set(given, place)
    return place
  } catch (error) {
    throw unusableTmp(given, error)
  }
}

const unusable: Readonly<Record<string, string>> = {
  ENOENT: 'no such folder',
  ENOTDIR: 'no folder',
  EACCES: "it can't be written to",
  EPERM: "it can't be written to",
}

/** What the user can mend about the temporary folder; a machine that is short of something is another matter. */
function unusableTmp(place: string, error: unknown): unknown {
  const why = unusable[codeOf(error) ?? '']
  const fix = 'make it, or set TMPDIR to a folder that is there and can be written to'
  return why === undefined ? error : new UserError(`temporary folder ${place}: ${why}`, fix)
}

/** Clears the rooms of owners that are gone: ends their processes, removes their folders. Gives what it ended. */
export async function reapRooms(): Promise<{ rooms: number; processes: number }> {
  const reaped = { rooms: 0, processes: 0 }
  for (const { folder, mark } of await staleRooms()) {
    reaped.processes += await endMarked(mark)
    await removeFolder(folder)
    reaped.rooms += 1
  }
  return reaped
}

/** This user's rooms of owners that are gone. In a folder that all may write to, a link under such a name leads anywhere. */
export async function staleRooms(): Promise<{ folder: string; mark: string }[]> {
  const within = tmpdir()
  const names = await readdir(within).catch(() => [])
  const stale: { folder: string; mark: string }[] = []
  for (const name of names) {
    const { pid, start = null, mark } = roomName.exec(name)?.groups ?? {}
    if (mark === undefined) continue // before anything else: such a folder may hold many thousand of others
    const folder = path.join(within, name)
    if (!isOwnFolder(folder) || (await isAlive(Number(pid), start))) continue
    stale.push({ folder, mark })
  }
  return stale
}

/** Ends what runs in this process's rooms, and removes them, at once and as far as it can: for a program that is about to end. */
export function clearOwnRooms(): void {
  const within = tmpdir()
  const rooms = readdirSync(within).flatMap((name) => {
    const { pid, mark } = roomName.exec(name)?.groups ?? {}
    return mark !== undefined && Number(pid) === process.pid ? [{ folder: path.join(within, name), mark }] : []
  })
  endMarkedNow(new Set(rooms.map(({ mark }) => mark)))
  for (const { folder } of rooms.filter((room) => isOwnFolder(room.folder))) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {} // left to the next start
  }
}

function isOwnFolder(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

/** Removes a folder even where an agent took away its own write permission; never rejects. */
export async function removeFolder(folder: string): Promise<void> {
  if (await removedSmall(folder)) return
  const options = { recursive: true, force: true, maxRetries: 3 }
  await rm(folder, options).catch(async () => {
    await makeWritable(folder)
    await rm(folder, options).catch(() => {}) // a folder that can't go is left to the system's own cleaning
  })
}

/** What a step at once may take, and how long a disk is left to threads where most took longer, both in milliseconds. */
const stepMs = 0.3
const slowMs = 10_000
/** So many steps are looked at together: one that is long alone was no slow disk, but another process that had the processor meanwhile. */
const steps = 16
let taken = 0
let long = 0
/** Until when the disk is left to threads. */
let slowUntil = 0

function countStep(start: number): void {
  const end = performance.now()
  taken += 1
  if (end - start > stepMs) long += 1
  if (long > steps / 2) slowUntil = end + slowMs
  if (taken < steps && long <= steps / 2) return
  taken = 0
  long = 0
}

/** statfs's types of Linux's tmpfs and ramfs. */
const memory = new Set([0x01021994, 0x858458f6])

/**
 * Removes a small folder with few steps; `within`: a folder above it, asked once whether it is in memory. False: it is larger than that, or something can't go so. A step that is handed to a thread takes more
 * work than the step itself; on a disk it may wait, for its journal or until it has let go of the blocks, and must not stop everything else then.
 */
export async function removedSmall(folder: string, within = path.dirname(folder)): Promise<boolean> {
  const mayWait = !isInMemory(within)
  try {
    const entries = smallTree(folder)
    for (const { full, isFolder } of entries) {
      const start = performance.now()
      if (mayWait && start < slowUntil) {
        await (isFolder ? rmdir(full) : unlink(full))
        continue
      }
      if (isFolder) rmdirSync(full)
      else unlinkSync(full)
      countStep(start)
    }
    return entries.length > 0
  } catch {
    return false
  }
}

/** A folder and all below it, what lies in a folder before it; nothing where that is much. */
function smallTree(folder: string): { full: string; isFolder: boolean }[] {
  const found: { full: string; isFolder: boolean }[] = []
  const add = (one: string): boolean => {
    for (const entry of readdirSync(one, { withFileTypes: true })) {
      const full = path.join(one, entry.name)
      if (found.length >= 50) return false
      if (!entry.isDirectory()) found.push({ full, isFolder: false })
      else if (!add(full)) return false
    }
    found.push({ full: one, isFolder: true })
    return true
  }
  return add(folder) ? found : []
}

const inMemory = new Map<string, boolean>()

/** Asked once for each place; a place that does not say counts as a disk. */
function isInMemory(place: string): boolean {
  let is = inMemory.get(place)
  try {
    is ??= memory.has(statfsSync(place).type)
  } catch {
    is = false
  }
  inMemory.set(place, is)
  return is
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {})
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name))
  }
}
