/** Removes finished jobs from the queue and the shared folder, and records the attempts that do not count. */
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import { readRunUsage } from '../../../flows/history/usage.ts'
import { noteAttempt } from '../../../store/artefacts/attempts.ts'
import {
  dropJob,
  findAttempt,
  keepOthers,
  listLeftJobs,
  otherAttemptsFolder,
  type SharedAttempt,
} from '../files/other_attempts.ts'
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
