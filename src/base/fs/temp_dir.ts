/** Temp directories of runs. Their names identify the owner, so a later start can clean up after a killed one, whatever an agent did to them. */
import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { removeNotedContainer } from '../container.ts'
import { errnoCode, UserError } from '../errors/error.ts'
import { loadExeca } from '../process/execa.ts'
import { endMarked, endMarkedNow, endStarted, isAlive, readOwnStart } from '../process/marked_processes.ts'

const prefix = 'user-'
/** The folder's name identifies its owner and the mark of its processes from the first moment. */
const tempDirPattern = /^user-(?<pid>\d+)(?:\.(?<start>\d+))?-(?<mark>[0-9a-f]{24})$/

export interface TempDir {
  path: string
  /** The mark that processes of this temp directory carry in their environment. */
  mark: string
  endProcesses(): Promise<void>
  /** Ends all processes that still carry the mark and removes the folder. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Creates a temp directory; `await using` removes it in every case. Throws UserError when the system's temp folder is unusable. */
export async function openTempDir(within = tmpdir()): Promise<TempDir> {
  const { folder, mark } = await makeFolder(within)
  return {
    path: folder,
    mark,
    endProcesses: () => endStarted(mark),
    async [Symbol.asyncDispose]() {
      await endStarted(mark)
      await removeTree(folder)
    },
  }
}

/** A temp directory of this process in which no command runs; a later start removes it when its owner was killed. */
export async function openScratch(): Promise<AsyncDisposable & { path: string }> {
  const { folder } = await makeFolder(tmpdir())
  return { path: folder, [Symbol.asyncDispose]: () => removeTree(folder) }
}

/** Creates a folder that only its owner may enter, under a name that was never used before. */
async function makeFolder(within: string): Promise<{ folder: string; mark: string }> {
  const start = readOwnStart()
  const mark = randomBytes(12).toString('hex')
  const folder = path.join(resolveTmp(within), `${prefix}${process.pid}${start === null ? '' : `.${start}`}-${mark}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    throw unusableTmp(path.dirname(folder), error)
  }
  return { folder, mark }
}

/** The parent of all temp directories, with links resolved as a sandbox shows them. Throws UserError when it is missing. */
export function resolveTmp(given = tmpdir()): string {
  try {
    return realpathSync(given)
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

/** A UserError for what the user can fix about the temp folder; other errors, such as a full disk, stay as they are. */
function unusableTmp(place: string, error: unknown): unknown {
  const why = unusable[errnoCode(error) ?? '']
  const fix = 'create it, or set TMPDIR to a writable folder'
  return why === undefined ? error : new UserError(`temporary folder ${place}: ${why}`, fix)
}

/**
 * Cleans up temp directories whose owners are gone: ends their processes, removes their folders. Returns the counts. A folder that can't be
 * removed gets a name that later starts ignore, and `onLeft` is called with it.
 */
export async function reapTempDirs(
  onLeft: (folder: string) => void = () => {},
): Promise<{ rooms: number; processes: number }> {
  const reaped = { rooms: 0, processes: 0 }
  for (const { folder, mark } of await findStaleTempDirs()) {
    removeNotedContainer(folder)
    reaped.processes += await endMarked(mark)
    await removeTree(folder)
    if (existsSync(folder)) onLeft(renameUnremovable(folder, mark))
    else reaped.rooms += 1
  }
  return reaped
}

/** Renames a folder that can't be removed; returns its new path, or the old one when the rename fails. */
function renameUnremovable(folder: string, mark: string): string {
  const aside = path.join(path.dirname(folder), `${prefix}left-${mark}`)
  try {
    renameSync(folder, aside)
    return aside
  } catch {
    return folder
  }
}

/** This user's temp directories whose owners are gone. Links are skipped: anyone may create one under such a name. */
export async function findStaleTempDirs(): Promise<{ folder: string; mark: string }[]> {
  const within = tmpdir()
  const names = await readdir(within).catch(() => [])
  const stale: { folder: string; mark: string }[] = []
  for (const name of names) {
    const { pid, start = null, mark } = tempDirPattern.exec(name)?.groups ?? {}
    if (mark === undefined) continue // before any system call: the folder may contain many thousands of other entries
    const folder = path.join(within, name)
    if (!isOwnFolder(folder) || (await isAlive(Number(pid), start))) continue
    stale.push({ folder, mark })
  }
  return stale
}

/** For a program that is about to end: ends the processes in its temp directories and removes them, synchronously, as far as possible. */
export function clearOwnTempDirs(): void {
  const within = tmpdir()
  const rooms = readdirSync(within).flatMap((name) => {
    const { pid, mark } = tempDirPattern.exec(name)?.groups ?? {}
    return mark !== undefined && Number(pid) === process.pid ? [{ folder: path.join(within, name), mark }] : []
  })
  endMarkedNow(new Set(rooms.map(({ mark }) => mark)))
  for (const { folder } of rooms.filter((room) => isOwnFolder(room.folder))) {
    try {
      removeNotedContainer(folder)
      rmSync(folder, { recursive: true, force: true })
    } catch {} // left to the next start
  }
}

function isOwnFolder(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

/** For what Node's own removal leaves: `rm` walks by descriptors, so the length of a path does not matter. */
const script = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwx -- "$1"; rm -rf -- "$1"; } 2>/dev/null'

/** Never rejects: the folder still exists when it can't be removed. Runs in its own process group, so Ctrl-C does not end it. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  if (!existsSync(folder)) return
  try {
    const options = { detached: true, stdio: 'ignore', reject: false, extendEnv: false } as const
    const env = { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` }
    await loadExeca().execa('/bin/sh', ['-c', script, 'sh', folder], { env, ...options })
  } catch {} // no process can start: the machine is low on resources
}
