/** queue work: a worker takes jobs from every queue whose needs it meets, and runs them until stopped. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueJob, QueueNeeds, WorkerNote } from '../../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { chooseSandbox, type SandboxWish } from '../../../base/sandbox/choose.ts'
import { reapGroups } from '../../../base/sandbox/process_limit.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { openAccountLimiters } from '../../../flows/limits/rate_limiters.ts'
import { refuseStrayInstructions } from '../../../flows/prepare/check_start.ts'
import { clearLeftovers } from '../../../flows/workspace/benchmark_lock.ts'
import { openBundles } from '../files/bundles.ts'
import { openSharedObjects } from '../files/manifest.ts'
import { sharedPaths } from '../files/shared_runs.ts'
import { canServeQueue, type WorkerOffer } from '../job_requirements.ts'
import { endRequestedJobs, type LimitNote, LiveNotes, limitNoteId, listStaleNotes } from '../liveness.ts'
import { readQueueNotes } from '../queue_status.ts'
import { awaitOrTimeOut, closeOrTimeOut } from '../server/outage.ts'
import type { Signer } from '../server/sign.ts'
import { LostJob, ReleaseJob, type TakenJob, type Transport } from '../server/transport.ts'
import {
  canAnotherWorkerRun,
  capabilityKey,
  findMissingCapability,
  forgetUnfitWorkers,
  JobFetcher,
  MissingCapabilities,
  ResourceShortage,
  resolveShortage,
} from './job_fetcher.ts'
import { performJob, type WorkerServices } from './perform_job.ts'
import { chooseStricterSandbox, parseTrustedJob } from './trusted_job.ts'
import type { ReportWorkEvent } from './work_event.ts'

export interface WorkRequest {
  shared: string
  concurrency: number
  engines: readonly string[]
  tags: readonly string[]
  sandbox: SandboxWish
  /** null: accepts jobs from everyone. */
  signer: Signer | null
  version: string
  /** Milliseconds between two polls. */
  lookMs?: number
  /** Milliseconds without a change after which it removes a coordinator's note on an account. */
  staleMs?: number
  /** A job fails after this many shortages, on any workers. */
  mostShortages?: number
}

export interface WorkSummary {
  done: number
  failed: number
}

/** Resolves when `context.drain` is aborted and running jobs have ended. */
export async function runQueueWorker(
  request: WorkRequest,
  { transport, tell }: { transport: Transport; tell: ReportWorkEvent },
  context: FlowContext,
): Promise<WorkSummary> {
  await clearLeftovers({
    emit: (event) =>
      event.type === 'artefact_damaged' && tell({ type: 'trouble', message: `${event.message}: ${event.mended}` }),
  })
  await reapGroups()
  await using scratch = await openTempDir()
  await refuseStrayInstructions(scratch.path)
  const services = openWorkerServices({ ...request, scratch: scratch.path }, tell, context)
  const bench = new QueueWorker({ request, transport, tell, services }, context)
  const { worker } = services
  const { concurrency, engines } = request
  tell({ type: 'worker_started', worker, place: transport.place, concurrency, engines })
  try {
    await bench.work()
  } finally {
    await bench.close()
    tell({ type: 'worker_stopped', worker, done: bench.note.done, failed: bench.note.failed })
  }
  return { done: bench.note.done, failed: bench.note.failed }
}

/** Of unused bundles. */
const mostBundleBytes = 2 ** 30

function openWorkerServices(
  request: Pick<WorkRequest, 'shared' | 'sandbox'> & { scratch: string },
  tell: ReportWorkEvent,
  context: FlowContext,
): WorkerServices {
  const paths = sharedPaths(path.resolve(request.shared))
  const folder = path.join(request.scratch, 'bundles')
  const started = new Date().toISOString().replaceAll(/[-:.]/g, '').slice(0, 15)
  return {
    worker: `${hostname()}-${process.pid}-${started}-${randomUUID().slice(0, 8)}`,
    paths,
    bundles: openBundles({
      objects: openSharedObjects(paths.bundles),
      ...{ folder, maxBytes: mostBundleBytes },
      onDamage: ({ damage }) => tell({ type: 'bundle_damaged', ...damage }),
    }),
    pace: openAccountLimiters(undefined, context),
    env: context.env,
    hidden: [path.resolve(request.shared), folder],
    sandbox: (asked) => chooseSandbox(chooseStricterSandbox(request.sandbox, asked), context.env.PATH ?? ''),
    own: request.sandbox,
  }
}

interface Parts {
  request: WorkRequest
  transport: Transport
  tell: ReportWorkEvent
  services: WorkerServices
}

class QueueWorker {
  readonly #parts: Parts
  readonly #context: FlowContext
  readonly #offer: WorkerOffer
  readonly #intake: JobFetcher
  readonly #limits: LiveNotes<LimitNote>
  readonly #shortness: ResourceShortage
  /** The shared folder was tested before the first job. */
  #isTried = false
  readonly #workers = new LiveNotes<WorkerNote>('worker')
  readonly #lacks = new MissingCapabilities()
  /** The account that each queue's runs count against. */
  readonly #accounts = new Map<string, QueueNeeds['account']>()
  readonly #inHand = new Map<string, { stop: (reason: unknown) => void; deadline: AbortController }>()
  readonly note: WorkerNote

  constructor(parts: Parts, context: FlowContext) {
    this.#parts = parts
    this.#context = context
    const { engines, tags, concurrency, version } = parts.request
    this.#offer = { engines, tags, env: context.env }
    this.#intake = new JobFetcher(concurrency)
    this.#limits = new LiveNotes<LimitNote>('limit', parts.request.staleMs)
    this.#shortness = new ResourceShortage(parts.services)
    const { signal } = context
    const stopAll = () => {
      for (const one of this.#inHand.values()) one.stop(signal.reason)
    }
    signal.addEventListener('abort', stopAll, { once: true })
    const at = context.now().toISOString()
    this.note = {
      ...{ kind: 'worker', worker: parts.services.worker, host: hostname(), pid: process.pid, version },
      ...{ engines: [...engines], tags: [...tags], queues: [], lacks: [] },
      ...{ places: concurrency, busy: 0, done: 0, failed: 0, refusals: 0, started_at: at, at },
    }
  }

  async work(): Promise<void> {
    const { drain } = this.#context
    const { lookMs = 1000 } = this.#parts.request
    for (let look = 0; !drain.aborted; look += 1) {
      const looking = this.#look(look).catch((error: unknown) => this.#trouble(errorMessage(error)))
      await awaitOrTimeOut(looking, { signal: drain, ms: 1000 }) // an unreachable server must not block the loop
      await sleep(lookMs, undefined, { signal: drain }).catch(() => {})
    }
  }

  /** Finds new queues and jobs to end; posts the heartbeat every few polls. */
  async #look(number: number): Promise<void> {
    const { transport } = this.#parts
    const notes = await readQueueNotes(transport)
    this.#workers.look(notes)
    endRequestedJobs(notes, this.#inHand)
    await this.#lookAtShortage()
    this.#intake.wake()
    for (const one of notes) {
      if (one.kind !== 'queue' || this.#intake.queues.has(one.queue) || !canServeQueue(this.#offer, one)) continue
      this.#accounts.set(one.queue, one.needs.account)
      const consumer = await transport.work(one.queue, {
        atOnce: this.#parts.request.concurrency,
        handle: (taken) => this.#perform(one.queue, taken),
        onTrouble: (message) => this.#trouble(message),
      })
      if (this.#context.drain.aborted) return await consumer[Symbol.asyncDispose]()
      this.#intake.hold(one.queue, consumer)
      this.#parts.tell({ type: 'queue_held', queue: one.queue, engine: one.needs.engine, tags: one.needs.tags })
    }
    const queues = [...this.#intake.queues.keys()]
    if (number % 5 !== 0 && queues.length === this.note.queues.length) return
    this.note.queues = queues
    await this.#postNote()
    const silent = this.#limits.look(notes).silent.map(({ benchmark }) => limitNoteId(benchmark))
    for (const id of [...listStaleNotes(notes, this.#context.now()), ...silent]) await transport.takeDown(id)
  }

  async #postNote(): Promise<void> {
    this.note.busy = this.#inHand.size
    this.note.lacks = this.#lacks.recent()
    this.note.at = this.#context.now().toISOString()
    await this.#parts.transport.post({ id: this.note.worker, value: this.note })
  }

  async #perform(queue: string, taken: TakenJob): Promise<unknown> {
    if (this.#context.drain.aborted || this.#context.signal.aborted) throw new ReleaseJob('this worker stops')
    using _place = this.#intake.enter(queue)
    const { services, tell, request } = this.#parts
    const refused = (reason: string) => tell({ type: 'job_refused', job: taken.id, queue, reason })
    const job = parseTrustedJob(taken, { ...request, now: this.#context.now(), refused })
    const deadline = new AbortController()
    const { signal } = taken
    this.#inHand.set(taken.id, { stop: taken.stop, deadline })
    const { run, benchmark } = job
    const about = { job: taken.id, run_id: run.run_id, benchmark, queue, engine: run.engine.name }
    tell({ type: 'job_started', ...about, starts: taken.starts })
    try {
      const { answer, result } = await performJob(
        job,
        { taken, deadline: deadline.signal, made: this.#orAnother(queue, taken, run.engine) },
        services,
      )
      this.note.done += 1
      this.note.refusals += result.record.held_back?.refusals ?? 0
      tell({ type: 'job_ended', ...about, attempt: answer.attempt, record: result.record })
      return answer
    } catch (caught) {
      const error: unknown = signal.aborted ? signal.reason : caught
      this.note.failed += 1
      tell({ type: 'job_left', ...about, reason: errorMessage(error), lost: error instanceof LostJob })
      if (this.#context.signal.aborted) throw new ReleaseJob('this worker stops')
      if (error instanceof ReleaseJob) throw error
      const short = signal.aborted ? null : ((await this.#shortness.of(error, benchmark)) ?? this.#intake.shortOf)
      if (short === null) {
        if (!signal.aborted) await forgetUnfitWorkers(taken)
        throw error
      }
      this.#stopFor(short)
      throw await resolveShortage(taken, error, request.mostShortages)
    } finally {
      this.#inHand.delete(taken.id)
    }
  }

  /** Leaves a job that this worker can't run to another one that may, and pauses the queue. */
  #orAnother(queue: string, taken: TakenJob, engine: QueueJob['run']['engine']): (record: RunRecord) => Promise<void> {
    const asked = capabilityKey(queue, engine)
    return async (record) => {
      const lack = findMissingCapability(record, this.#accounts.get(queue) ?? null)
      if (lack === null) {
        this.#lacks.delete(asked)
        return this.#intake.fit(queue)
      }
      this.#lacks.add(asked)
      await this.#postNote() // post first: of two workers that lack it, one sees the other's note
      const self = { worker: this.note.worker, queue, asked }
      const { transport } = this.#parts
      if (!(await canAnotherWorkerRun(taken, self, { transport, living: (notes) => this.#workers.look(notes).kept })))
        return
      const ms = this.#intake.rest(queue)
      throw new ReleaseJob(
        `left to another worker: ${lack}; this worker takes no job from its queue for ${ms / 1000} s`,
      )
    }
  }

  /** Another worker may have space, and this one later. */
  #stopFor(reason: string): void {
    if (this.#intake.shortOf === null) this.#parts.tell({ type: 'intake_stopped', reason })
    this.#intake.short(reason)
  }

  /** Tests the shared folder before the first job, so that it takes none that it would have to release. */
  async #lookAtShortage(): Promise<void> {
    if (!this.#isTried) {
      const why = await this.#shortness.atStart()
      this.#isTried = true
      if (why !== null) this.#stopFor(why)
    } else if (this.#intake.shortOf !== null && (await this.#shortness.isOver())) {
      this.#intake.short(null)
      this.#parts.tell({ type: 'intake_resumed' })
    }
  }

  #trouble(message: string): void {
    this.#parts.tell({ type: 'trouble', message })
  }

  /** Lets running jobs end, then unregisters. Does not wait for an unreachable server. */
  async close(): Promise<void> {
    const leave = async () => {
      await Promise.all([...this.#intake.queues.values()].map((one) => one[Symbol.asyncDispose]()))
      await closeOrTimeOut(() => this.#parts.transport.takeDown(this.note.worker), 1000)
    }
    await awaitOrTimeOut(leave(), { signal: this.#context.signal, ms: 2500 })
  }
}
