/** The shared folder: attempts at runs, each written by one worker alone, whole or not there. */
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { type AttemptMark, attemptMark } from '../../schemas/queue_job.ts'
import { type RunRecord, runRecord } from '../../schemas/run.ts'
import { codeOf } from '../base/error.ts'
import { syncFile, syncFolder, walk } from '../base/files.ts'
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

/** The next attempt at a job: nobody else writes there, whoever comes later gets another number. */
export function beginAttempt(job: string, mark: Omit<AttemptMark, 'attempt'>): OwnAttempt {
  mkdirSync(job, { recursive: true })
  for (let number = 1; ; number += 1) {
    try {
      const text = JSON.stringify({ attempt: number, ...mark })
      writeFileSync(path.join(job, `attempt-${number}.json`), text, { flag: 'wx', flush: true })
      return { number, folder: path.join(job, `.attempt-${number}`) }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** Makes it durable and whole; gives the sha256 of its record. */
export async function commitAttempt(job: string, { number, folder }: OwnAttempt): Promise<string> {
  const { files } = await walk(folder, { links: 'never' })
  for (const file of files) await syncFile(file.source)
  await syncFolder(folder)
  renameSync(folder, attemptFolder(job, number))
  await syncFolder(job)
  return recordHash(attemptFolder(job, number))
}

function attemptFolder(job: string, number: number): string {
  return path.join(job, `attempt-${number}`)
}

function recordHash(folder: string): string {
  return createHash('sha256')
    .update(readFileSync(path.join(folder, 'run.json')))
    .digest('hex')
}

/** The attempt was damaged, or never reached this machine. */
class AttemptError extends Error {
  override readonly name = 'AttemptError'
}

/**
 * Puts a committed attempt into a folder that is not there yet, by links where both lie on one file system; the attempt stays.
 * Gives its record. Throws AttemptError where it is not what the worker said.
 */
export async function fetchAttempt(
  job: string,
  said: { attempt: number; sha256: string },
  to: string,
): Promise<RunRecord> {
  const folder = attemptFolder(job, said.attempt)
  if (!existsSync(path.join(folder, 'run.json'))) throw new AttemptError(`${folder}: no run lies there`)
  if (recordHash(folder) !== said.sha256) throw new AttemptError(`${folder}/run.json: not what the worker wrote`)
  const { files } = await walk(folder, { links: 'never' })
  mkdirSync(to, { recursive: true })
  const made = new Set<string>([to])
  for (const file of files) {
    const target = path.join(to, file.path)
    const above = path.dirname(target)
    if (!made.has(above)) mkdirSync(above, { recursive: true })
    made.add(above)
    await linkOrCopy(file.source, target)
  }
  mkdirSync(path.join(to, 'outputs'), { recursive: true })
  const record = readIf(runRecord, path.join(to, 'run.json'))
  if (record === null) throw new AttemptError(`${folder}/run.json: not a run record`)
  return record
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    linkSync(source, target)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
    await copyFile(source, target)
  }
}

/** An attempt as it lies there. `record` null: it has none, its worker was lost. */
export interface SharedAttempt {
  mark: AttemptMark
  record: RunRecord | null
}

/** All attempts at a job, those that were lost too. */
function attemptsAt(job: string): SharedAttempt[] {
  if (!existsSync(job)) return []
  const marks = readdirSync(job).filter((name) => /^attempt-\d+\.json$/.test(name))
  return marks.flatMap((name) => {
    const mark = readIf(attemptMark, path.join(job, name))
    if (mark === null) return []
    const file = path.join(attemptFolder(job, mark.attempt), 'run.json')
    return [{ mark, record: existsSync(file) ? readIf(runRecord, file) : null }]
  })
}

/** Jobs of a benchmark of which something lies there, with the run that each is for. */
export function jobsLeft(folder: string): { id: string; runId: string | null }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((id) => ({ id, runId: attemptsAt(path.join(folder, id))[0]?.mark.run_id ?? null }))
}

/** Removes what there is of a job. */
export function dropJob(job: string): void {
  rmSync(job, { recursive: true, force: true })
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
  for (const other of attemptsAt(job)) {
    const { mark } = other
    if (mark.attempt === taken) continue
    told(other)
    const from = [attemptFolder(job, mark.attempt), path.join(job, `.attempt-${mark.attempt}`)].find(existsSync)
    const target = path.join(to, `attempt-${mark.attempt}`)
    mkdirSync(to, { recursive: true })
    await copyFile(path.join(job, `attempt-${mark.attempt}.json`), `${target}.json`)
    if (from === undefined || existsSync(target)) continue
    const { files } = await walk(from, { links: 'never', unreadable: 'leave_out' })
    for (const file of files) {
      mkdirSync(path.dirname(path.join(target, file.path)), { recursive: true })
      await linkOrCopy(file.source, path.join(target, file.path))
    }
  }
  await rm(job, { recursive: true, force: true })
}
