/** What there is of a job's attempts: those that do not count are told, kept beside the benchmark, and removed with the rest. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../schemas/run.ts'
import type { AttemptMark } from '../../schemas/timing.ts'
import { walk } from '../base/files.ts'
import { attemptFolder, begunFolder, linkOrCopy, markIn, recordHash, recordOf } from './shared_runs.ts'

const attemptName = /^(?<id>[0-9a-f]{64})\.(?<number>[1-9]\d{0,4})(?:\.part)?$/

/** An attempt as it lies there. `record` null: it has none, its worker was lost. */
export interface SharedAttempt {
  mark: AttemptMark
  record: RunRecord | null
}

/** Where attempts at a job lie, whole or not, with their numbers: up to this one, and those that follow it without a gap. */
function attemptsAt(job: string, upTo: number): [number: number, folder: string][] {
  const found: [number, string][] = []
  for (let number = 1; ; number += 1) {
    const there = [attemptFolder(job, number), begunFolder(job, number)].filter((folder) => existsSync(folder))
    for (const folder of there) found.push([number, folder])
    if (there.length === 0 && number > upTo) return found
  }
}

/** Jobs of a benchmark of which something lies there. `runId`: which run it is for, null where nothing has begun; `upTo`: the last attempt. */
export function jobsLeft(folder: string): { id: string; runId: string | null; upTo: number }[] {
  const left = new Map<string, { id: string; runId: string | null; upTo: number }>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { id, number } = attemptName.exec(name)?.groups ?? {}
    if (id === undefined) continue
    const before = left.get(id)
    const runId = before?.runId ?? markIn(path.join(folder, name))?.run_id ?? null
    left.set(id, { id, runId, upTo: Math.max(before?.upTo ?? 0, Number(number)) })
  }
  return [...left.values()]
}

/** Removes what there is of a job. */
export function dropJob(job: string, upTo: number): void {
  for (const [, folder] of attemptsAt(job, upTo)) drop(folder)
}

function drop(folder: string): void {
  try {
    removeSmall(folder)
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An attempt is a few files: by plain calls that takes half of the work. */
function removeSmall(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) removeSmall(full)
    else unlinkSync(full)
  }
  rmdirSync(folder)
}

/** Which attempt at a job lies in this folder too, as a run; null: none. */
export function attemptIn(job: string, { run, upTo }: { run: string; upTo: number }): number | null {
  if (!existsSync(path.join(run, 'run.json'))) return null
  const wanted = recordHash(run)
  const isIt = (folder: string) => existsSync(path.join(folder, 'run.json')) && recordHash(folder) === wanted
  return attemptsAt(job, upTo).find(([, folder]) => isIt(folder))?.[0] ?? null
}

/** Which attempts there may be: `taken` counts and lies there still, or null; numbers go up to `upTo`, at least. */
interface Others {
  taken: number | null
  upTo: number
  /** Folder for what there is of the others. */
  to: string
  /** Hears of each first. */
  told: (other: SharedAttempt) => void
}

/** Keeps what there is of the attempts that did not count, and removes all. */
export async function keepOthers(job: string, { taken, upTo, to, told }: Others): Promise<void> {
  for (const [number, folder] of attemptsAt(job, upTo)) {
    const mark = number === taken ? null : markIn(folder)
    if (mark !== null) await keepOther(folder, { mark, told, to: path.join(to, `attempt-${number}`) })
    drop(folder)
  }
}

async function keepOther(
  folder: string,
  { mark, told, to }: { mark: AttemptMark; told: Others['told']; to: string },
): Promise<void> {
  told({ mark, record: recordOf(folder) })
  mkdirSync(path.dirname(to), { recursive: true })
  writeFileSync(`${to}.json`, `${JSON.stringify(mark)}\n`)
  if (existsSync(to)) return
  const { files } = await walk(folder, { links: 'never', unreadable: 'leave_out' })
  for (const one of files) {
    mkdirSync(path.dirname(path.join(to, one.path)), { recursive: true })
    await linkOrCopy(one.source, path.join(to, one.path))
  }
}
