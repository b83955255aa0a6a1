/** queue work: a worker takes jobs of every queue whose needs it meets, and performs them in its own places, until it is told to stop. */

import { randomUUID } from 'node:crypto'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueJob, QueueNeeds, WorkerNote } from '../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { messageOf } from '../../base/error.ts'
import { openRoom, reapRooms } from '../../base/room.ts'
import { Rooms } from '../../base/rooms.ts'
import { chooseSandbox, type SandboxWish } from '../../base/sandbox/choose.ts'
import { reapGroups } from '../../base/sandbox/process_limit.ts'
import { closeWithin, doneWithin } from '../../jobs/queue/close.ts'
import type { Signer } from '../../jobs/queue/plug_in.ts'
import { GiveBack, LostJob, type TakenJob, type Transport, type Working } from '../../jobs/queue/transport.ts'
import { openBundles } from '../../store/bundles/bundles.ts'
import { sharedObjects } from '../../store/bundles/objects.ts'
import { sharedPaths } from '../../store/shared_runs.ts'
import type { FlowContext } from '../context.ts'
import { openPace } from '../pace.ts'
import { refuseStrayInstructions } from '../surroundings.ts'
import { endAsked, staleNotes } from './end_notes.ts'
import { afterShortage, forgetLacks, mayAnother } from './given_back.ts'
import { Intake } from './intake.ts'
import { KeptLimits, LivingWorkers, limitNoteId } from './kept_up.ts'
import { askedFor, Lacks, lackOf } from './lacks.ts'
import { readNotes } from './look.ts'
import { meets, type Offer } from './needs.ts'
import { performJob, type Workshop } from './perform_job.ts'
import { strictest } from './sandbox_of.ts'
import { Shortness } from './short_of.ts'
import { trustedJob } from './trusted_job.ts'
import type { TellWork } from './work_event.ts'

export interface WorkRequest {
  shared: string
  concurrency: number
  engines: readonly string[]
  tags: readonly string[]
  sandbox: SandboxWish
  /** Null: jobs of everyone are run. */
  signer: Signer | null
  /** Where bundles are kept on this machine, and how many bytes of them. */
  cache: { folder: string; maxBytes: number } | null
  version: string
  /** Milliseconds between two looks at the board. */
  lookMs?: number
  /** From how long a coordinator's note on an account stays as it was it is taken down, in milliseconds. */
  staleMs?: number
  /** Ends when nothing has been to do for so long, in milliseconds; null: never. */
  idleMs?: number | null
  /** A job that has met so many shortages, at whatever worker, has failed. */
  mostShortages?: number
}

export interface Worked {
  done: number
  failed: number
}

interface InHand {
  stop: (reason: unknown) => void
  deadline: AbortController
}

/** Resolves when `context.drain` is aborted and what was in hand has ended. */
export async function workQueue(
  request: WorkRequest,
  { transport, tell }: { transport: Transport; tell: TellWork },
  context: FlowContext,
): Promise<Worked> {
  await reapRooms()
  await reapGroups()
  await using scratch = await openRoom()
  await refuseStrayInstructions(scratch.path)
  await using rooms = new Rooms()
  const shop = { ...(await openShop(request, tell, context)), rooms }
  const bench = new Bench({ request, transport, tell, shop }, context)
  const { worker } = shop
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

async function openShop(request: WorkRequest, tell: TellWork, context: FlowContext): Promise<Omit<Workshop, 'rooms'>> {
  const paths = sharedPaths(path.resolve(request.shared))
  const cache = request.cache ?? { folder: path.join(tmpdir(), 'whetstone-bundles'), maxBytes: 2 ** 30 }
  const started = new Date().toISOString().replaceAll(/[-:.]/g, '').slice(0, 15)
  return {
    worker: `${hostname()}-${process.pid}-${started}-${randomUUID().slice(0, 8)}`,
    paths,
    bundles: await openBundles({
      objects: sharedObjects(paths.bundles),
      cache,
      onDamage: ({ damage }) => tell({ type: 'bundle_damaged', ...damage }),
    }),
    pace: openPace(undefined, context),
    env: context.env,
    hidden: [path.resolve(request.shared), cache.folder],
    sandbox: (asked) => chooseSandbox(strictest(request.sandbox, asked), context.env.PATH ?? ''),
  }
}

interface Parts {
  request: WorkRequest
  transport: Transport
  tell: TellWork
  shop: Workshop
}

class Bench {
  readonly #parts: Parts
  readonly #context: FlowContext
  readonly #offer: Offer
  readonly #intake: Intake
  readonly #limits: KeptLimits
  readonly #shortness: Shortness
  /** The shared folder was tried before anything was taken. */
  #isTried = false
  readonly #workers = new LivingWorkers()
  readonly #lacks = new Lacks()
  /** Whose limit each queue's runs count against. */
  readonly #accounts = new Map<string, QueueNeeds['account']>()
  readonly #inHand = new Map<string, InHand>()
  readonly note: WorkerNote

  constructor(parts: Parts, context: FlowContext) {
    this.#parts = parts
    this.#context = context
    const { engines, tags, concurrency, version } = parts.request
    this.#offer = { engines, tags, env: context.env }
    this.#intake = new Intake(concurrency)
    this.#limits = new KeptLimits(parts.request.staleMs)
    this.#shortness = new Shortness(parts.shop)
    const { signal } = context
    signal.addEventListener('abort', () => this.#stopAll(signal.reason), { once: true })
    const at = context.now().toISOString()
    this.note = {
      ...{ kind: 'worker', worker: parts.shop.worker, host: hostname(), pid: process.pid, version },
      ...{
        engines: [...engines],
        tags: [...tags],
        queues: [],
        lacks: [],
        places: concurrency,
        busy: 0,
        done: 0,
        failed: 0,
        refusals: 0,
      },
      ...{ started_at: at, at },
    }
  }

  async work(): Promise<void> {
    const { drain } = this.#context
    const { lookMs = 1000 } = this.#parts.request
    for (let look = 0; !drain.aborted; look += 1) {
      const looking = this.#look(look).catch((error: unknown) => this.#trouble(messageOf(error)))
      await doneWithin(looking, { signal: drain, ms: 1000 }) // where the server is away it takes as long as that is
      await sleep(lookMs, undefined, { signal: drain }).catch(() => {})
    }
  }

  /** Queues that are new, jobs that nobody wants any more; and every few looks, that we live. */
  async #look(number: number): Promise<void> {
    const { transport } = this.#parts
    const notes = await readNotes(transport)
    this.#workers.look(notes)
    endAsked(notes, this.#inHand)
    if (this.#isTried) await this.#goOnIfRoom()
    else await this.#beginShort()
    this.#intake.wake()
    for (const one of notes) {
      if (one.kind !== 'queue' || this.#intake.queues.has(one.queue) || !meets(this.#offer, one)) continue
      this.#accounts.set(one.queue, one.needs.account)
      const held = await this.#hold(one.queue)
      if (this.#context.drain.aborted) return await held[Symbol.asyncDispose]()
      this.#intake.hold(one.queue, held)
      this.#parts.tell({ type: 'queue_held', queue: one.queue, engine: one.needs.engine, tags: one.needs.tags })
    }
    const queues = [...this.#intake.queues.keys()]
    if (number % 5 !== 0 && queues.length === this.note.queues.length) return
    this.note.queues = queues
    await this.#postNote()
    const silent = this.#limits.look(notes).silent.map(({ benchmark }) => limitNoteId(benchmark))
    for (const id of [...staleNotes(notes, this.#context.now()), ...silent]) await transport.takeDown(id)
  }

  async #postNote(): Promise<void> {
    this.note.busy = this.#inHand.size
    this.note.lacks = this.#lacks.recent()
    this.note.at = this.#context.now().toISOString()
    await this.#parts.transport.post({ id: this.note.worker, value: this.note })
  }

  #hold(queue: string): Promise<Working> {
    return this.#parts.transport.work(queue, {
      atOnce: this.#parts.request.concurrency,
      handle: (taken) => this.#perform(queue, taken),
      onTrouble: (message) => this.#trouble(message),
    })
  }

  async #perform(queue: string, taken: TakenJob): Promise<unknown> {
    if (this.#context.drain.aborted || this.#context.signal.aborted) throw new GiveBack('this worker stops')
    using _place = this.#intake.enter(queue)
    const { shop, tell, request } = this.#parts
    const refused = (reason: string) => tell({ type: 'job_refused', job: taken.id, queue, reason })
    const job = trustedJob(taken, { signer: request.signer, now: this.#context.now(), refused })
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
        shop,
      )
      this.note.done += 1
      this.note.refusals += result.record.held_back?.refusals ?? 0
      tell({ type: 'job_ended', ...about, attempt: answer.attempt, record: result.record })
      return answer
    } catch (caught) {
      const error: unknown = signal.aborted ? signal.reason : caught
      this.note.failed += 1
      tell({ type: 'job_left', ...about, reason: messageOf(error), lost: error instanceof LostJob })
      if (this.#context.signal.aborted) throw new GiveBack('this worker stops')
      if (error instanceof GiveBack) throw error
      const short = signal.aborted ? null : ((await this.#shortness.of(error, benchmark)) ?? this.#intake.shortOf)
      if (short === null) {
        if (!signal.aborted) await forgetLacks(taken)
        throw error
      }
      this.#stopFor(short)
      throw await afterShortage(taken, error, request.mostShortages)
    } finally {
      this.#inHand.delete(taken.id)
    }
  }

  /** What this worker is unfit for is left to another that may do it; none is taken from the queue for a while. */
  #orAnother(queue: string, taken: TakenJob, engine: QueueJob['run']['engine']): (record: RunRecord) => Promise<void> {
    const asked = askedFor(queue, engine)
    return async (record) => {
      const lack = lackOf(record, this.#accounts.get(queue) ?? null)
      if (lack === null) {
        this.#lacks.delete(asked)
        return this.#intake.fit(queue)
      }
      this.#lacks.add(asked)
      await this.#postNote() // before we look: of two that lack it one sees the other
      const self = { worker: this.note.worker, queue, asked }
      const { transport } = this.#parts
      if (!(await mayAnother(taken, self, { transport, living: (notes) => this.#workers.look(notes) }))) return
      const ms = this.#intake.rest(queue)
      throw new GiveBack(`left to another worker: ${lack}; this one takes none of its queue for ${ms / 1000} s`)
    }
  }

  #stopAll(reason: unknown): void {
    for (const one of this.#inHand.values()) one.stop(reason)
  }

  /** Another worker has room, maybe, and this one later. */
  #stopFor(reason: string): void {
    if (this.#intake.shortOf === null) this.#parts.tell({ type: 'intake_stopped', reason })
    this.#intake.short(reason)
  }

  async #goOnIfRoom(): Promise<void> {
    if (this.#intake.shortOf === null || !(await this.#shortness.isOver())) return
    this.#intake.short(null)
    this.#parts.tell({ type: 'intake_resumed' })
  }

  /** Nothing is taken to be given back. */
  async #beginShort(): Promise<void> {
    const why = await this.#shortness.atStart()
    this.#isTried = true
    if (why !== null) this.#stopFor(why)
  }

  #trouble(message: string): void {
    this.#parts.tell({ type: 'trouble', message })
  }

  /** Lets what is in hand end, then says goodbye. A server that is away is not waited for. */
  async close(): Promise<void> {
    const leave = async () => {
      await Promise.all([...this.#intake.queues.values()].map((one) => one[Symbol.asyncDispose]()))
      await closeWithin(() => this.#parts.transport.takeDown(this.note.worker), 1000)
    }
    await doneWithin(leave(), { signal: this.#context.signal, ms: 2500 })
  }
}
