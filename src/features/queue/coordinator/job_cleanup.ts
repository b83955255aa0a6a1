/** Removes finished jobs from the queue and the shared folder, and records the attempts that do not count. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { AttemptMark } from '../../../../schemas/timing.ts'
import { walk } from '../../../base/fs/files.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { readRunUsage } from '../../../flows/history/forecast.ts'
import { noteAttempt } from '../../../store/artefacts/spending_log.ts'
import {
  attemptFolder,
  hashRecord,
  linkOrCopy,
  readAttemptMark,
  readAttemptRecord,
  unfinishedAttemptFolder,
} from '../files/shared_runs.ts'
import type { CoordinatorContext } from './coordinator_context.ts'
import { clearResurrectedJobs, listEndedJobs } from './job_ends.ts'

/** After the commit: removes the jobs, and stores uncounted attempts with the benchmark. */
export async function clearCommittedRun(spec: RunSpec, coordinator: CoordinatorContext): Promise<void> {
  const { run_id } = spec
  const outs = coordinator.out.get(run_id) ?? []
  coordinator.out.delete(run_id)
  for (const { id, taken } of outs) {
    if (taken?.isMoved && taken.attempt === 1) continue // the final cleanup finds any other attempts
    const kept = otherAttemptsFolder(coordinator.request.folder, run_id, id)
    const told = (other: SharedAttempt) => recordOtherAttempt(other, { job: id, spec }, coordinator)
    const there = taken === null || taken.isMoved ? null : taken.attempt
    const upTo = taken?.attempt ?? 0
    await keepOthers(coordinator.paths.job(coordinator.benchmark, id), {
      taken: there,
      upTo,
      to: kept,
      told,
    })
  }
  await coordinator.transport.remove(
    coordinator.queue,
    outs.map(({ id }) => id),
  )
}

/** Records the cost of an uncounted attempt in attempts.jsonl and in the budget. */
function recordOtherAttempt(
  { mark, record }: SharedAttempt,
  { job, spec }: { job: string; spec: RunSpec },
  coordinator: CoordinatorContext,
): void {
  const { usd, tokens } = record === null ? { usd: null, tokens: null } : readRunUsage(record)
  const { attempt, worker, started_at } = mark
  const status = record?.status ?? null
  noteAttempt(coordinator.request.folder, {
    run_id: spec.run_id,
    job,
    attempt,
    worker,
    started_at,
    status,
    usd,
    tokens,
  })
  coordinator.request.limited?.spending.lost(spec, { started_at, usd, tokens })
}

/** Cleans up what a coordinator left if it was killed between commit and cleanup. */
export async function clearLeftJobs(coordinator: CoordinatorContext, signal: AbortSignal): Promise<void> {
  const { transport, queue, paths, benchmark, request } = coordinator
  const specs = new Map(request.plan.runs.map((spec) => [spec.run_id, spec]))
  const heldJobs = new Set(
    [...coordinator.out.values()].flatMap((outs) => outs.flatMap(({ id, isHeld }) => (isHeld ? [id] : []))),
  )
  // if another coordinator owns the benchmark by then, it handles the rest
  const isAll = (coordinator.isResumed || coordinator.clearing !== null) && !signal.aborted
  try {
    if (isAll) for (const id of await clearResurrectedJobs(coordinator)) heldJobs.add(id)
    for (const { id, runId, upTo } of listLeftJobs(paths.benchmark(benchmark))) {
      if (heldJobs.has(id)) continue
      const spec = runId === null ? undefined : specs.get(runId)
      const place = paths.job(benchmark, id)
      if (spec === undefined) {
        dropJob(place, upTo) // it had not started
        continue
      }
      const taken = findAttempt(place, { run: path.join(request.folder, spec.run_id), upTo })
      const told = (other: SharedAttempt) => recordOtherAttempt(other, { job: id, spec }, coordinator)
      await keepOthers(place, { taken, upTo, to: otherAttemptsFolder(request.folder, spec.run_id, id), told })
      await transport.remove(queue, [id])
    }
    if (!isAll) return
    const ended = await listEndedJobs(benchmark, coordinator)
    await transport.remove(
      queue,
      ended.filter((id) => !heldJobs.has(id)),
    )
  } finally {
    await transport[Symbol.asyncDispose]()
  }
}

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

function dropJob(job: string, upTo: number): void {
  for (const [, folder] of listAttempts(job, upTo)) rmSync(folder, { recursive: true, force: true })
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
    rmSync(folder, { recursive: true, force: true })
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
function otherAttemptsFolder(folder: string, runId: string, job: string): string {
  return path.join(folder, '.attempts', runId, job.slice(0, 8))
}
