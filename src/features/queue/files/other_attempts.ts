/** Lists a job's attempts: those that do not count are reported, kept next to the benchmark, and removed from the shared folder. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { AttemptMark } from '../../../../schemas/timing.ts'
import { walk } from '../../../base/fs/files.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import {
  attemptFolder,
  hashRecord,
  linkOrCopy,
  readAttemptMark,
  readAttemptRecord,
  unfinishedAttemptFolder,
} from './shared_runs.ts'

const attemptName = /^(?<id>[0-9a-f]{64})\.(?<number>[1-9]\d{0,4})(?:\.part)?$/

/** An attempt in the shared folder. `record` null: none, because its worker was lost. */
export interface SharedAttempt {
  mark: AttemptMark
  record: RunRecord | null
}

/** Folders of attempts at a job, complete or not, with their numbers: up to this one, and those that follow without a gap. */
function listAttempts(job: string, upTo: number): [number: number, folder: string][] {
  const found: [number, string][] = []
  for (let number = 1; ; number += 1) {
    const there = [attemptFolder(job, number), unfinishedAttemptFolder(job, number)].filter((folder) =>
      existsSync(folder),
    )
    for (const folder of there) found.push([number, folder])
    if (there.length === 0 && number > upTo) return found
  }
}

/** Jobs of a benchmark with leftovers in the folder. `runId`: run of the job, null when no attempt has begun; `upTo`: last attempt. */
export function listLeftJobs(folder: string): { id: string; runId: string | null; upTo: number }[] {
  const left = new Map<string, { id: string; runId: string | null; upTo: number }>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { id, number } = attemptName.exec(name)?.groups ?? {}
    if (id === undefined) continue
    const before = left.get(id)
    const runId = before?.runId ?? readAttemptMark(path.join(folder, name))?.run_id ?? null
    left.set(id, { id, runId, upTo: Math.max(before?.upTo ?? 0, Number(number)) })
  }
  return [...left.values()]
}

/** Removes all attempts of a job. */
export function dropJob(job: string, upTo: number): void {
  for (const [, folder] of listAttempts(job, upTo)) drop(folder)
}

function drop(folder: string): void {
  try {
    removeSmall(folder)
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An attempt has few files, and plain calls take half as long as rmSync. */
function removeSmall(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) removeSmall(full)
    else unlinkSync(full)
  }
  rmdirSync(folder)
}

/** The number of the attempt that this run was copied from; null: none. */
export function findAttempt(job: string, { run, upTo }: { run: string; upTo: number }): number | null {
  if (!existsSync(path.join(run, 'run.json'))) return null
  const wanted = hashRecord(run)
  const isIt = (folder: string) => existsSync(path.join(folder, 'run.json')) && hashRecord(folder) === wanted
  return listAttempts(job, upTo).find(([, folder]) => isIt(folder))?.[0] ?? null
}

/** The attempts to expect. `taken`: the one that counts, if it is still there, or null; numbers reach at least `upTo`. */
interface Others {
  taken: number | null
  upTo: number
  /** Folder for the other attempts. */
  to: string
  /** Called with each one first. */
  told: (other: SharedAttempt) => void
}

/** Keeps the attempts that did not count, and removes all from the shared folder. */
export async function keepOthers(job: string, { taken, upTo, to, told }: Others): Promise<void> {
  for (const [number, folder] of listAttempts(job, upTo)) {
    const mark = number === taken ? null : readAttemptMark(folder)
    if (mark !== null) await keepOther(folder, { mark, told, to: path.join(to, `attempt-${number}`) })
    drop(folder)
  }
}

async function keepOther(
  folder: string,
  { mark, told, to }: { mark: AttemptMark; told: Others['told']; to: string },
): Promise<void> {
  told({ mark, record: readAttemptRecord(folder) })
  mkdirSync(path.dirname(to), { recursive: true })
  writeFileSync(`${to}.json`, `${jsonText(mark)}\n`)
  if (existsSync(to)) return
  const { files } = await walk(folder, { links: 'never', unreadable: 'leave_out' })
  for (const one of files) {
    mkdirSync(path.dirname(path.join(to, one.path)), { recursive: true })
    await linkOrCopy(one.source, path.join(to, one.path))
  }
}

/** Folder for attempts that do not count, next to the benchmark's runs. */
export function otherAttemptsFolder(folder: string, runId: string, job: string): string {
  return path.join(folder, '.attempts', runId, job.slice(0, 8))
}
