/** The shared folder: attempts at runs, each written by one worker alone, whole or not there. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { type RunRecord, runRecord } from '../../schemas/run.ts'
import { type AttemptMark, timing } from '../../schemas/timing.ts'
import { nameBeside } from '../base/beside.ts'
import { syncFiles, syncFolder, writeDurable } from '../base/durable.ts'
import { codeOf, messageOf } from '../base/error.ts'
import { plainFiles } from '../base/files.ts'
import { checkAs, parseJson, sha256 } from '../base/json.ts'
import { readIf } from './damage.ts'

export interface SharedPaths {
  /** Bundles of inputs. */
  bundles: string
  shared: string
  /** All attempts at the runs of a benchmark. */
  benchmark: (id: string) => string
  /** What the names of all attempts at a job begin with. */
  job: (benchmark: string, id: string) => string
}

export function sharedPaths(shared: string): SharedPaths {
  const benchmark = (id: string) => path.join(shared, 'runs', id)
  return { shared, bundles: path.join(shared, 'bundles'), benchmark, job: (of, id) => path.join(benchmark(of), id) }
}

/** Where a whole attempt lies. */
export function attemptFolder(job: string, number: number): string {
  return `${job}.${number}`
}

/** Where it lies until then. */
export function begunFolder(job: string, number: number): string {
  return `${job}.${number}.part`
}

/** An attempt of ours: `folder` is filled, then committed. Its mark lies there, in timing.json. */
export interface OwnAttempt {
  mark: AttemptMark
  folder: string
}

/**
 * The next attempt at a job: nobody else writes there, whoever comes later gets another number. Its mark is durable when it resolves. It
 * stays in a file that each run has, so that nothing is made or removed for it alone.
 */
export async function beginAttempt(job: string, mark: Omit<AttemptMark, 'attempt'>): Promise<OwnAttempt> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = begunFolder(job, attempt)
    if (!makeNew(folder)) continue
    if (existsSync(attemptFolder(job, attempt))) {
      rmdirSync(folder)
      continue
    }
    const own = { mark: { attempt, ...mark }, folder }
    await writeDurable(markFile(folder), JSON.stringify({ attempt: own.mark }))
    return own
  }
}

/** False: it is there already. */
function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(path.dirname(folder), { recursive: true })
    return makeNew(folder)
  }
}

/** Made by who sends the runs, with owner, group and rights of the shared folder: what one worker makes may be closed to those of other users. */
export function makeRunsFolder({ shared, benchmark }: SharedPaths, id: string): void {
  const like = statSync(shared)
  for (const folder of [path.dirname(benchmark(id)), benchmark(id)]) {
    try {
      mkdirSync(folder)
    } catch {
      continue // it is there, or a worker makes it
    }
    if (isGivenTo(like, folder)) chmodSync(folder, like.mode & 0o7777)
    else rmdirSync(folder)
  }
}

/** Whether all who may write to the one folder may write to the other, once it has the same rights. */
function isGivenTo({ uid, gid, mode }: Stats, folder: string): boolean {
  if ((mode & 0o002) !== 0) return true
  for (const owner of [uid, statSync(folder).uid]) {
    try {
      chownSync(folder, owner, gid)
      return owner === uid || (mode & 0o020) !== 0
    } catch {
      // not a user, or not a group, that we may give it to
    }
  }
  return false
}

/** The folder that an attempt at a benchmark, or at any (null), is written to: the deepest that is there. */
export function placeOf({ shared, benchmark }: SharedPaths, id: string | null): string {
  const runs = path.dirname(benchmark('any'))
  const found = [...(id === null ? [] : [benchmark(id)]), runs].find((folder) => existsSync(folder))
  return found ?? shared
}

function markFile(folder: string): string {
  return path.join(folder, 'timing.json')
}

/** null: it has not begun. Where only the mark can't be read, what was made is not lost: it is told by its record. */
export function markIn(folder: string): AttemptMark | null {
  const mark = readIf(timing, markFile(folder))?.attempt
  if (mark !== undefined) return mark
  const made = recordOf(folder)
  const attempt = Number(/\.(\d+)(?:\.part)?$/.exec(folder)?.[1])
  return made && { attempt, run_id: made.run_id, worker: 'unknown', started_at: made.started_at }
}

/** null: there is none that can be read. */
export function recordOf(folder: string): RunRecord | null {
  const file = path.join(folder, 'run.json')
  return existsSync(file) ? readIf(runRecord, file) : null
}

/** Files of an attempt and its folder, as far as they are durable already, absolute, and the hash of its record. */
interface Durable {
  paths: ReadonlySet<string>
  sha256: string
}

/** Makes it durable and whole; gives the sha256 of its record. Throws AttemptError where the job was put away meanwhile. */
export async function commitAttempt(job: string, { mark, folder }: OwnAttempt, already?: Durable): Promise<string> {
  if (isPutAway(folder)) throw new AttemptError(`${folder}: the job was put away meanwhile`)
  const hash = already?.sha256 ?? recordHash(folder)
  await syncFiles(plainFiles(folder).filter((file) => !already?.paths.has(file)))
  if (!already?.paths.has(folder)) await syncFolder(folder)
  renameSync(folder, attemptFolder(job, mark.attempt))
  await syncFolder(path.dirname(job))
  return hash
}

/** Whether somebody has removed an attempt that was begun. A folder that can't be looked into is none of those. */
function isPutAway(folder: string): boolean {
  try {
    return statSync(markFile(folder), { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** An attempt that comes to nothing is left to whoever puts its job away. True: that has happened, and nobody looks there again, so it is removed. */
export function leaveAttempt({ folder }: OwnAttempt): boolean {
  if (!isPutAway(folder)) return false
  rmSync(folder, { recursive: true, force: true })
  return true
}

export function recordHash(folder: string): string {
  return sha256(readFileSync(path.join(folder, 'run.json')))
}

/** The attempt was damaged, or never reached this machine. */
export class AttemptError extends Error {
  override readonly name = 'AttemptError'
}

export interface FetchedAttempt {
  record: RunRecord
  /**
   * `moved`: it lies in the shared folder still, for `moveAttempt`. `linked`: its files are those that the worker made durable.
   * `copied`: some are not durable yet.
   */
  by: 'moved' | 'linked' | 'copied'
}

/**
 * Checks a committed attempt and, unless it can be moved as it is, puts it into a folder that is not there yet; the attempt stays.
 * Throws AttemptError where it is not what the worker said.
 */
export async function fetchAttempt(
  job: string,
  said: { attempt: number; sha256: string },
  to: string,
): Promise<FetchedAttempt> {
  const folder = attemptFolder(job, said.attempt)
  const file = path.join(folder, 'run.json')
  if (!existsSync(file))
    throw new AttemptError(`${folder}: no run lies there: is it the same --shared folder for the worker?`)
  const text = readFileSync(file)
  if (sha256(text) !== said.sha256) throw new AttemptError(`${file}: not what the worker wrote`)
  const record = recordIn(text.toString('utf8'), file)
  if (isOurs(folder) && canMove(file, path.dirname(to))) return { record, by: 'moved' }
  mkdirSync(path.join(to, 'outputs'), { recursive: true })
  const made = new Set<string>([to, path.join(to, 'outputs')])
  let by: FetchedAttempt['by'] = 'linked'
  for (const source of plainFiles(folder)) {
    const target = path.join(to, path.relative(folder, source))
    const above = path.dirname(target)
    if (!made.has(above)) mkdirSync(above, { recursive: true })
    made.add(above)
    if ((await linkOrCopy(source, target)) === 'copied') by = 'copied'
  }
  return { record, by }
}

/** What another user's worker made can be read, but neither moved nor written into. */
function isOurs(folder: string): boolean {
  return statSync(folder).uid === process.getuid?.()
}

const movable = new Map<string, boolean>()

/** Whether what lies beside `file` can be renamed into `folder`, which only trying shows; tried once for each two places. */
function canMove(file: string, folder: string): boolean {
  const between = `${path.dirname(path.dirname(file))}\n${folder}`
  const known = movable.get(between)
  if (known !== undefined) return known
  const probe = nameBeside(path.join(folder, 'probe'))
  let can = true
  try {
    mkdirSync(folder, { recursive: true })
    linkSync(file, probe)
    unlinkSync(probe)
  } catch {
    can = false
  }
  movable.set(between, can)
  return can
}

function recordIn(text: string, file: string): RunRecord {
  try {
    return checkAs(runRecord, parseJson(text, file), file)
  } catch (error) {
    throw new AttemptError(messageOf(error))
  }
}

export async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    linkSync(source, target)
    return 'linked'
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
    await copyFile(source, target)
    return 'copied'
  }
}
