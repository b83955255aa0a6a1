/** The shared folder: attempts at runs, each written by one worker alone, whole or not there. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { type AttemptMark, attemptMark } from '../../schemas/queue_job.ts'
import { type RunRecord, runRecord } from '../../schemas/run.ts'
import { codeOf, messageOf } from '../base/error.ts'
import { plainFiles, syncFiles, syncFolder, walk, writeDurable } from '../base/files.ts'
import { checkAs, parseJson, sha256 } from '../base/json.ts'
import { readIf } from './damage.ts'

export interface SharedPaths {
  /** Bundles of inputs. */
  bundles: string
  /** All attempts at the runs of a benchmark. */
  benchmark: (id: string) => string
  job: (benchmark: string, id: string) => string
}

export function sharedPaths(shared: string): SharedPaths {
  const benchmark = (id: string) => path.join(shared, 'runs', id)
  return { bundles: path.join(shared, 'bundles'), benchmark, job: (of, id) => path.join(benchmark(of), id) }
}

/** An attempt of ours: `folder` is filled, then committed. */
export interface OwnAttempt {
  number: number
  folder: string
}

/** The next attempt at a job: nobody else writes there, whoever comes later gets another number. Its mark is durable when it resolves. */
export async function beginAttempt(job: string, mark: Omit<AttemptMark, 'attempt'>): Promise<OwnAttempt> {
  const isNew = mkdirSync(job, { recursive: true }) !== undefined
  for (let number = 1; ; number += 1) {
    if (!isNew && existsSync(takenMark(job, number))) continue
    try {
      await writeDurable(path.join(job, `attempt-${number}.json`), JSON.stringify({ attempt: number, ...mark }))
      return { number, folder: path.join(job, `.attempt-${number}`) }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** Files of an attempt that are durable already, absolute, and the hash of its record. */
interface Durable {
  files: ReadonlySet<string>
  sha256: string
}

/** Makes it durable and whole; gives the sha256 of its record. Throws AttemptError where the job was put away meanwhile. */
export async function commitAttempt(job: string, { number, folder }: OwnAttempt, already?: Durable): Promise<string> {
  if (!isMarked(job, number)) throw new AttemptError(`${folder}: the job was put away meanwhile`)
  const hash = already?.sha256 ?? recordHash(folder)
  await syncFiles(plainFiles(folder).filter((file) => !already?.files.has(file)))
  await syncFolder(folder)
  renameSync(folder, attemptFolder(job, number))
  await syncFolder(job)
  return hash
}

function isMarked(job: string, number: number): boolean {
  return existsSync(path.join(job, `attempt-${number}.json`))
}

/** An attempt that comes to nothing is left to whoever puts its job away; where that has happened, nobody looks there again. */
export function leaveAttempt(job: string, { number, folder }: OwnAttempt): void {
  if (isMarked(job, number)) return
  rmSync(folder, { recursive: true, force: true })
  try {
    rmdirSync(job)
  } catch {
    // another attempt lies there
  }
}

function attemptFolder(job: string, number: number): string {
  return path.join(job, `attempt-${number}`)
}

/** What the mark of an attempt is called from when its folder is about to be moved into the benchmark. */
function takenMark(job: string, number: number): string {
  return path.join(job, `taken-${number}.json`)
}

function recordHash(folder: string): string {
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
  const between = `${path.dirname(path.dirname(path.dirname(file)))}\n${folder}`
  const known = movable.get(between)
  if (known !== undefined) return known
  const probe = path.join(folder, `.probe-${process.pid}`)
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

/**
 * Hands the folder of an attempt that counts to `place`, which moves it away. The mark is renamed first: should we end between the two,
 * the attempt counts as one of which nothing has been taken yet, and after both as none that is left.
 */
export async function moveAttempt(
  job: string,
  number: number,
  place: (folder: string) => Promise<void>,
): Promise<void> {
  const mark = path.join(job, `attempt-${number}.json`)
  if (existsSync(mark)) renameSync(mark, takenMark(job, number))
  await place(attemptFolder(job, number))
}

function recordIn(text: string, file: string): RunRecord {
  try {
    return checkAs(runRecord, parseJson(text, file), file)
  } catch (error) {
    throw new AttemptError(messageOf(error))
  }
}

async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    linkSync(source, target)
    return 'linked'
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
    await copyFile(source, target)
    return 'copied'
  }
}

/** An attempt as it lies there. `record` null: it has none, its worker was lost. */
export interface SharedAttempt {
  mark: AttemptMark
  record: RunRecord | null
}

/** All attempts at a job, those that were lost too, but for one of this number and one that was moved into its benchmark. */
function attemptsAt(job: string, except: number | null = null): SharedAttempt[] {
  return marksAt(job).flatMap((name) => {
    if (name === `attempt-${except}.json` || name === `taken-${except}.json`) return []
    const mark = readIf(attemptMark, path.join(job, name))
    if (mark === null) return []
    const folder = attemptFolder(job, mark.attempt)
    if (name.startsWith('taken-') && !existsSync(folder)) return []
    const file = path.join(folder, 'run.json')
    return [{ mark, record: existsSync(file) ? readIf(runRecord, file) : null }]
  })
}

function marksAt(job: string): string[] {
  return existsSync(job) ? readdirSync(job).filter((name) => /^(attempt|taken)-\d+\.json$/.test(name)) : []
}

/** Jobs of a benchmark of which something lies there, with the run that each is for. */
export function jobsLeft(folder: string): { id: string; runId: string | null }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((id) => {
    const job = path.join(folder, id)
    const marks = marksAt(job).flatMap((name) => readIf(attemptMark, path.join(job, name)) ?? [])
    return { id, runId: marks[0]?.run_id ?? null }
  })
}

/** Removes what there is of a job. */
export function dropJob(job: string): void {
  try {
    removeSmall(job)
  } catch {
    rmSync(job, { recursive: true, force: true })
  }
}

/** Removes a job of which nothing is left but the mark of the attempt that was moved, as with most. False: more lies there. */
function removedAlone(job: string, taken: number): boolean {
  try {
    unlinkSync(takenMark(job, taken))
    rmdirSync(job)
    return true
  } catch {
    return false
  }
}

/** What is left of a job is a few files, most often one: by plain calls that takes half of the work. */
function removeSmall(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) removeSmall(full)
    else unlinkSync(full)
  }
  rmdirSync(folder)
}

/** Which attempt at a job is the run that lies in this folder; null: none. */
export function attemptIn(job: string, run: string): number | null {
  if (!existsSync(path.join(run, 'run.json'))) return null
  const wanted = recordHash(run)
  const found = attemptsAt(job).find(
    ({ mark, record }) => record !== null && recordHash(attemptFolder(job, mark.attempt)) === wanted,
  )
  return found?.mark.attempt ?? null
}

/** Keeps what there is of the attempts that did not count in `to`, and removes the rest. `told` of each first. */
export async function keepOthers(
  job: string,
  { taken, to, told }: { taken: number | null; to: string; told: (other: SharedAttempt) => void },
): Promise<void> {
  if (taken !== null && removedAlone(job, taken)) return
  for (const other of attemptsAt(job, taken)) {
    const { mark } = other
    told(other)
    const from = [attemptFolder(job, mark.attempt), path.join(job, `.attempt-${mark.attempt}`)].find(existsSync)
    const target = path.join(to, `attempt-${mark.attempt}`)
    mkdirSync(to, { recursive: true })
    const marked = path.join(job, `attempt-${mark.attempt}.json`)
    await copyFile(existsSync(marked) ? marked : takenMark(job, mark.attempt), `${target}.json`)
    if (from === undefined || existsSync(target)) continue
    const { files } = await walk(from, { links: 'never', unreadable: 'leave_out' })
    for (const file of files) {
      mkdirSync(path.dirname(path.join(target, file.path)), { recursive: true })
      await linkOrCopy(file.source, path.join(target, file.path))
    }
  }
  dropJob(job)
}
