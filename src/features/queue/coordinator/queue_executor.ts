/** The coordinator: submits runs to the queue instead of executing them here, and moves the results into the benchmark. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { jobVersion, type QueueJob, queueAnswer } from '../../../../schemas/queue_job.ts'
import { syncFolder, writeAtomic } from '../../../base/fs/durable_files.ts'
import { canonicalJson, checkAs, sha256 } from '../../../base/json/json.ts'
import { readOwnPackage } from '../../../base/package_root.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { RemoteExecutor } from '../../../flows/prepare/remote_execution.ts'
import { recordFailedRun } from '../../../flows/run/failed_run.ts'
import type { RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { placeRun, readRun } from '../../../store/store.ts'
import { openSharedObjects } from '../files/manifest.ts'
import {
  AttemptError,
  attemptFolder,
  type FetchedAttempt,
  fetchAttempt,
  makeRunsFolder,
  sharedPaths,
} from '../files/shared_runs.ts'
import { queueName, resolveQueueNeeds } from '../job_requirements.ts'
import { isTraced, traceBenchmark } from '../observe/traces.ts'
import type { JobEnd, Transport } from '../server/transport.ts'
import { resolveAccount, runWithinLimit, shareLimit } from './account_limit.ts'
import {
  type CoordinatorContext,
  type InProgressJob,
  openLossCounter,
  type RemoteRequest,
  registerCoordinator,
} from './coordinator_context.ts'
import { clearCommittedRun, clearLeftJobs } from './job_cleanup.ts'
import {
  clearResurrectedJobs,
  explainJobFailure,
  isStillHeld,
  requestJobEnd,
  submitAndWait,
  watchAbort,
} from './job_ends.ts'
import { createInputPacker } from './pack_inputs.ts'
import { reportUnservedRuns, watchRunWaits } from './unserved_runs.ts'

export async function openCoordinator(
  request: RemoteRequest,
  transport: Transport,
  context: FlowContext,
): Promise<RemoteExecutor> {
  const { wish, plan, folder } = request
  const paths = sharedPaths(path.resolve(wish.shared))
  const needs = resolveQueueNeeds(plan.options.engine, wish.tags, context.env)
  const queue = queueName(needs)
  const coordinator: CoordinatorContext = {
    request,
    transport,
    paths,
    packing: createInputPacker(openSharedObjects(paths.bundles)),
    ...(await ensureQueueId(folder)),
    queue,
    registry: await registerCoordinator(queue, needs, transport),
    losses: openLossCounter(
      () => {
        coordinator.clearing = clearResurrectedJobs(coordinator).catch(() => {}) // runs again at the end
      },
      (jobs) => context.emit({ type: 'queue_lost', place: transport.place, jobs }),
    ),
    clearing: null,
    out: new Map(),
  }
  makeRunsFolder(paths, coordinator.benchmark)
  const waits = watchRunWaits(transport, context)
  const unmet = reportUnservedRuns({ transport, queue: coordinator.queue, needs }, waits)
  let closing: Promise<void> | null = null
  const limits = await shareLimit(
    resolveAccount(plan.options.engine, context.env),
    { transport, queue: coordinator.queue, account: needs.account, benchmark: coordinator.benchmark },
    wish.limits,
  )
  return {
    atOnce: wish.atOnce,
    perform: (run) => waits.during(run, () => runWithinLimit(run, () => performElsewhere(run, coordinator))),
    committed: (spec) => clearCommittedRun(spec, coordinator),
    [Symbol.asyncDispose]() {
      for (const one of [unmet, coordinator.registry, coordinator.losses]) one[Symbol.dispose]()
      closing ??= limits
        .close()
        .then(() => coordinator.clearing)
        .then(() => clearLeftJobs(coordinator, context.signal))
        .catch(waits.forgive)
        .finally(() => traceIfEnabled(coordinator, context))
      return closing
    },
  }
}

async function performElsewhere(run: RunRequest, coordinator: CoordinatorContext): Promise<RunResult> {
  const { spec, signal } = run
  const startedAt = new Date()
  const id = await jobId(run, coordinator)
  const out: InProgressJob = { id, taken: null, isHeld: false }
  coordinator.out.set(spec.run_id, [...(coordinator.out.get(spec.run_id) ?? []), out])
  const job = await buildQueueJob(run, coordinator)
  const data = { ...job, signature: coordinator.request.wish.signer?.sign({ id, ...job }) ?? null }
  const deadline = run.deadline ?? null
  using ended = watchAbort(deadline, () => void requestJobEnd(id, 'deadline', coordinator).catch(() => {}))
  try {
    const end = await submitAndWait({ job: { id, data }, signal, deadline }, coordinator)
    return await toRunResult(end, { run, out, startedAt, ended: ended.aborted }, coordinator)
  } catch (error) {
    if (signal.aborted) out.isHeld = await isStillHeld(id, coordinator)
    throw error
  }
}

/** A benchmark's run is the same job for every coordinator; after a failed one is stored, a different job. */
async function jobId({ spec, attempt }: RunRequest, { request, benchmark }: CoordinatorContext): Promise<string> {
  const before = await readRun(request.folder, spec.run_id)
  const round = before === null ? null : [before.record.key, before.record.started_at, before.record.ended_at]
  return sha256(canonicalJson([jobVersion, benchmark, spec.run_id, spec.key, round, attempt]))
}

/** Longer than jobs wait; a copied job can be replayed for this time. */
const signedForMs = 7 * 24 * 3_600_000

async function buildQueueJob(run: RunRequest, coordinator: CoordinatorContext): Promise<QueueJob> {
  const { request } = coordinator
  const { spec } = run
  const packed = await coordinator.packing.inputs(spec)
  const prompt = await coordinator.packing.prompt(spec.prompt)
  const skills: [string, string][] = []
  for (const one of [...(spec.skill === null ? [] : [spec.skill]), ...(spec.among ?? [])]) {
    const files = one === spec.skill ? run.skillFiles : (run.amongFiles?.get(one.sha256) ?? [])
    skills.push([one.sha256, await coordinator.packing.skill(one.sha256, files)])
  }
  return {
    schema_version: jobVersion,
    benchmark: coordinator.benchmark,
    attempt: run.attempt,
    ...(run.agentCrashes && { agent_crashes: run.agentCrashes }),
    run: { ...packed.of(spec), ...(prompt !== null && { prompt: '' }) },
    inputs: packed.sha256,
    prompt,
    skills: Object.fromEntries(skills),
    pass_env: [...run.passEnv],
    sandbox: { mode: request.sandbox?.mode ?? 'auto', network: request.sandbox?.network ?? null },
    idle_ms: request.pace?.idleMs ?? null,
    keep_work: run.keepWork ?? false,
    ...(request.prices && { prices: request.prices }),
    expires_at: new Date(Date.now() + signedForMs).toISOString(),
    signature: null,
  }
}

interface EndedJob {
  run: RunRequest
  out: InProgressJob
  startedAt: Date
  /** The deadline was reached. */
  ended: boolean
}

async function toRunResult(
  end: JobEnd,
  { run, out, startedAt, ended }: EndedJob,
  coordinator: CoordinatorContext,
): Promise<RunResult> {
  switch (end.as) {
    case 'gone':
      return await recordFailedRun(run, 'cancelled', startedAt)
    case 'failed':
      return await recordFailedRun(run, ended ? 'cancelled' : explainJobFailure(end.reason), startedAt)
    case 'done': {
      const answer = checkAs(queueAnswer, end.value, `answer of job ${out.id}`)
      try {
        const { attempt, retry } = answer
        const job = coordinator.paths.job(coordinator.benchmark, out.id)
        const { record, by } = await fetchAttempt(job, answer, run.folder)
        out.taken = { attempt, isMoved: false }
        return { record, retry, ...choosePlacement(by, { run, out, attempt }, coordinator) }
      } catch (error) {
        if (!(error instanceof AttemptError)) throw error
        const message = `worker ${answer.worker}: ${error.message}`
        return await recordFailedRun(run, { kind: 'crash', message }, startedAt) // an agent ran at an unknown cost
      }
    }
  }
}

/** How a fetched attempt is placed in the benchmark. */
function choosePlacement(
  by: FetchedAttempt['by'],
  { run, out, attempt }: { run: RunRequest; out: InProgressJob; attempt: number },
  { request, paths, benchmark }: CoordinatorContext,
): Pick<RunResult, 'place'> {
  if (by === 'copied') return {}
  const isMoved = by === 'moved'
  const folder = isMoved ? attemptFolder(paths.job(benchmark, out.id), attempt) : run.folder
  const own = { benchmark: request.folder, runId: run.spec.run_id, signer: findSigner(run.userEnv) }
  return {
    async place() {
      if (!isMoved) await syncFolder(folder) // its files are durable, but their names here are not yet
      await placeRun(folder, own)
      out.taken = { attempt, isMoved }
    },
  }
}

/** `isResumed`: another coordinator has worked on it before. */
async function ensureQueueId(folder: string): Promise<{ benchmark: string; isResumed: boolean }> {
  const file = path.join(folder, '.queue')
  const isResumed = existsSync(file)
  if (!isResumed) await writeAtomic(file, randomBytes(8).toString('hex'))
  return { benchmark: readFileSync(file, 'utf8').trim(), isResumed }
}

/** Does nothing without the packages, as workers do for runs. */
async function traceIfEnabled({ benchmark, request }: CoordinatorContext, { env, now }: FlowContext): Promise<void> {
  if (!isTraced(env)) return
  const ended = { benchmark, plan: request.plan, endedAt: now() }
  await traceBenchmark(ended, { version: readOwnPackage().version, env }).catch(() => {})
}
