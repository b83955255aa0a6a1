/** The shared folder: attempts at runs, each written by a single worker, complete or absent. */
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
import { type RunRecord, runRecord } from '../../../../schemas/run.ts'
import { type AttemptMark, timing } from '../../../../schemas/timing.ts'
import { attempt as attemptTo } from '../../../base/errors/attempt.ts'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import { syncFiles, syncFolder, tempSiblingName, writeDurable } from '../../../base/fs/durable_files.ts'
import { listPlainFiles } from '../../../base/fs/files.ts'
import { checkAs, parseJson, sha256 } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'

export function sharedPaths(shared: string) {
  const benchmark = (id: string) => path.join(shared, 'runs', id)
  /** Common beginning of the names of all attempts at a job. */
  const job = (of: string, id: string) => path.join(benchmark(of), id)
  return { shared, bundles: path.join(shared, 'bundles'), benchmark, job }
}

export type SharedPaths = ReturnType<typeof sharedPaths>

export function attemptFolder(job: string, number: number): string {
  return `${job}.${number}`
}

export function unfinishedAttemptFolder(job: string, number: number): string {
  return `${job}.${number}.part`
}

/** An attempt of this worker: `folder` is filled, then committed. Its mark is in the folder's timing.json. */
export interface OwnAttempt {
  mark: AttemptMark
  folder: string
}

/**
 * Starts the next attempt at a job: no other worker writes there, because a later one gets another number. Its mark is durable when it
 * resolves. The mark is part of a file that each run has, so it needs no file of its own.
 */
export async function beginAttempt(job: string, mark: Omit<AttemptMark, 'attempt'>): Promise<OwnAttempt> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = unfinishedAttemptFolder(job, attempt)
    if (!makeNew(folder)) continue
    if (existsSync(attemptFolder(job, attempt))) {
      rmdirSync(folder)
      continue
    }
    const own = { mark: { attempt, ...mark }, folder }
    await writeDurable(markFile(folder), jsonText({ attempt: own.mark }))
    return own
  }
}

/** False: it already exists. */
function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') return false
    if (errnoCode(error) !== 'ENOENT') throw error
    mkdirSync(path.dirname(folder), { recursive: true })
    return makeNew(folder)
  }
}

/** Created by the submitter with owner, group and mode of the shared folder: a worker's folder may be closed to other users' workers. */
export function makeRunsFolder({ shared, benchmark }: SharedPaths, id: string): void {
  const like = statSync(shared)
  for (const folder of [path.dirname(benchmark(id)), benchmark(id)]) {
    try {
      mkdirSync(folder)
    } catch {
      continue // it exists, or a worker creates it
    }
    if (hasSameAccess(like, folder)) chmodSync(folder, like.mode & 0o7777)
    else rmdirSync(folder)
  }
}

/** Whether all with write access to the one folder have it to the other, once the modes are the same. */
function hasSameAccess({ uid, gid, mode }: Stats, folder: string): boolean {
  if ((mode & 0o002) !== 0) return true
  for (const owner of [uid, statSync(folder).uid]) {
    try {
      chownSync(folder, owner, gid)
      return owner === uid || (mode & 0o020) !== 0
    } catch {
      // we may not give it to this user or group
    }
  }
  return false
}

/** The deepest existing folder that attempts at a benchmark, or at any (null), are written to. */
export function writableAttemptFolder({ shared, benchmark }: SharedPaths, id: string | null): string {
  const runs = path.dirname(benchmark('any'))
  const found = [...(id === null ? [] : [benchmark(id)]), runs].find((folder) => existsSync(folder))
  return found ?? shared
}

function markFile(folder: string): string {
  return path.join(folder, 'timing.json')
}

/** null: not begun. When only the mark is unreadable, the record of the run replaces it, so that the attempt is not lost. */
export function readAttemptMark(folder: string): AttemptMark | null {
  const mark = tryReadArtefact(timing, markFile(folder))?.attempt
  if (mark !== undefined) return mark
  const made = readAttemptRecord(folder)
  const attempt = Number(/\.(\d+)(?:\.part)?$/.exec(folder)?.[1])
  return made && { attempt, run_id: made.run_id, worker: 'unknown', started_at: made.started_at }
}

/** null: missing or unreadable. */
export function readAttemptRecord(folder: string): RunRecord | null {
  const file = path.join(folder, 'run.json')
  return existsSync(file) ? tryReadArtefact(runRecord, file) : null
}

/** Makes the attempt durable and complete; returns the sha256 of its record. Throws AttemptError when the job has been removed. */
export async function commitAttempt(job: string, { mark, folder }: OwnAttempt): Promise<string> {
  if (isAttemptRemoved(folder)) throw new AttemptError(`${folder}: the job was removed while it ran`)
  const hash = hashRecord(folder)
  await syncFiles(listPlainFiles(folder))
  await syncFolder(folder)
  renameSync(folder, attemptFolder(job, mark.attempt))
  await syncFolder(path.dirname(job))
  return hash
}

/** Whether an attempt that was begun has been removed. False for a folder that can't be read. */
function isAttemptRemoved(folder: string): boolean {
  return attemptTo(() => statSync(markFile(folder), { throwIfNoEntry: false }) === undefined, false)
}

/** Leaves a failed attempt for the removal of its job. True: the job was already removed, so this removes the attempt. */
export function leaveAttempt({ folder }: OwnAttempt): boolean {
  if (!isAttemptRemoved(folder)) return false
  rmSync(folder, { recursive: true, force: true })
  return true
}

export function hashRecord(folder: string): string {
  return sha256(readFileSync(path.join(folder, 'run.json')))
}

/** The attempt was damaged, or never reached this machine. */
export class AttemptError extends Error {
  override readonly name = 'AttemptError'
}

export interface FetchedAttempt {
  record: RunRecord
  /**
   * `moved`: still in the shared folder, for the caller to move. `linked`: shares the files that the worker made durable.
   * `copied`: some files are not durable yet.
   */
  by: 'moved' | 'linked' | 'copied'
}

/**
 * Verifies a committed attempt and, unless it can be moved, puts it into a new folder; the attempt stays.
 * Throws AttemptError when it does not match the worker's report.
 */
export async function fetchAttempt(
  job: string,
  said: { attempt: number; sha256: string },
  to: string,
): Promise<FetchedAttempt> {
  const folder = attemptFolder(job, said.attempt)
  const file = path.join(folder, 'run.json')
  if (!existsSync(file))
    throw new AttemptError(`${folder}: no run found there; check that the worker uses the same --shared folder`)
  const text = readFileSync(file)
  if (sha256(text) !== said.sha256) throw new AttemptError(`${file}: differs from what the worker wrote`)
  const record = parseRecord(text.toString('utf8'), file)
  if (isOurs(folder) && canMove(file, path.dirname(to))) return { record, by: 'moved' }
  mkdirSync(path.join(to, 'outputs'), { recursive: true })
  const made = new Set<string>([to, path.join(to, 'outputs')])
  let by: FetchedAttempt['by'] = 'linked'
  for (const source of listPlainFiles(folder)) {
    const target = path.join(to, path.relative(folder, source))
    const above = path.dirname(target)
    if (!made.has(above)) mkdirSync(above, { recursive: true })
    made.add(above)
    if ((await linkOrCopy(source, target)) === 'copied') by = 'copied'
  }
  return { record, by }
}

/** Attempts of another user's worker can be read, but neither moved nor written to. */
function isOurs(folder: string): boolean {
  return statSync(folder).uid === process.getuid?.()
}

/** Whether `file` and its neighbours can be renamed into `folder`, which only a trial shows. */
function canMove(file: string, folder: string): boolean {
  const probe = tempSiblingName(path.join(folder, 'probe'))
  return attemptTo(() => {
    mkdirSync(folder, { recursive: true })
    linkSync(file, probe)
    unlinkSync(probe)
    return true
  }, false)
}

function parseRecord(text: string, file: string): RunRecord {
  try {
    return checkAs(runRecord, parseJson(text, file), file)
  } catch (error) {
    throw new AttemptError(errorMessage(error))
  }
}

export async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    linkSync(source, target)
    return 'linked'
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(errnoCode(error) ?? '')) throw error
    await copyFile(source, target)
    return 'copied'
  }
}
