/** The work that this server does now: at most one job for each plan, which several calls may wait for. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { type Limits, noLimits } from '../../flows/limits/limits.ts'
import { openWaits, usualMaxWaitMs } from '../../flows/limits/wait_limits.ts'
import type { StoredResult } from './results.ts'

type WorkEnd = StoredResult | { status: 'failed'; error: unknown }

interface JobProgress {
  done: number
  total: number | null
  message: string
}

export interface Job {
  progress: JobProgress
  /** null: it runs. */
  end: WorkEnd | null
  ended: Promise<WorkEnd>
  /** Called after each change of the progress. */
  listeners: Set<() => void>
  cancel(): void
}

interface JobWork {
  limits?: Limits | undefined
  prices: UserPrices | undefined
  /** Called with each event, before the progress changes. */
  onEvent: (event: FlowEvent) => void
  run: (context: FlowContext) => Promise<StoredResult>
}

/** Milliseconds that agents have to end when the server ends. */
const patienceMs = 8000

export class Jobs {
  readonly #jobs = new Map<string, Job>()
  readonly #starting = new Map<string, Promise<Job>>()
  readonly #env: FlowContext['env']

  constructor(env: FlowContext['env']) {
    this.#env = env
  }

  get(id: string): Job | null {
    return this.#jobs.get(id) ?? null
  }

  /** The running job with this id, else the one that `prepare` leads to; simultaneous calls share it. */
  async startOnce(id: string, prepare: () => Promise<JobWork>): Promise<Job> {
    const known = this.#jobs.get(id)
    if (known !== undefined && known.end === null) return known
    const starting =
      this.#starting.get(id) ??
      prepare()
        .then((work) => this.#start(id, work))
        .finally(() => this.#starting.delete(id))
    this.#starting.set(id, starting)
    return await starting
  }

  #start(id: string, { limits = noLimits, prices, onEvent, run }: JobWork): Job {
    const stop = new AbortController()
    const now = () => new Date()
    const job: Job = {
      progress: { done: 0, total: null, message: 'starting' },
      end: null,
      ended: Promise.resolve().then(async () => {
        using waits = openWaits({ maxWaitMs: usualMaxWaitMs, limits, emit, now, env: this.#env })
        const signal = AbortSignal.any([stop.signal, waits.signal])
        const see = (event: FlowEvent) => {
          waits.see(event)
          emit(event)
        }
        const context = { emit: see, env: this.#env, drain: stop.signal, signal, now, waits, ...(prices && { prices }) }
        job.end = await run(context).catch((error: unknown) => ({ status: 'failed' as const, error }))
        for (const listener of job.listeners) listener()
        return job.end
      }),
      listeners: new Set(),
      cancel: () => stop.abort(new Error('cancelled')),
    }
    const emit = (event: FlowEvent) => {
      onEvent(event)
      const next = advance(job.progress, event)
      if (next === job.progress) return
      job.progress = next
      for (const listener of job.listeners) listener()
    }
    this.#jobs.set(id, job)
    return job
  }

  /** Ends all work; resolves when its agents have ended, or after some seconds. */
  async stop(): Promise<void> {
    const running = [...this.#jobs.values()].filter(({ end }) => end === null)
    for (const job of running) job.cancel()
    const patience = new AbortController()
    const all = Promise.all(running.map(({ ended }) => ended)).finally(() => patience.abort())
    await Promise.race([all, sleep(patienceMs, null, { signal: patience.signal }).catch(() => {})])
  }
}

function advance(before: JobProgress, event: FlowEvent): JobProgress {
  switch (event.type) {
    case 'plan_ready':
      return withMessage(event.done, event.runs, 'runs')
    case 'comparison_planned':
      return withMessage(event.done, event.pairs, 'pairs')
    case 'run_finished':
      return withMessage(before.done + 1, before.total, 'runs')
    case 'pair_judged':
      return withMessage(before.done + 1, before.total, 'pairs')
    case 'improve_step':
      return { ...before, message: event.message }
    default:
      return before
  }
}

function withMessage(done: number, total: number | null, what: string): JobProgress {
  return { done, total, message: `${done}${total === null ? '' : ` of ${total}`} ${what}` }
}

export interface WaitForJob {
  seconds: number
  /** Ends the wait, not the job. */
  signal: AbortSignal
  onProgress: (progress: JobProgress) => void
}

/** Returns when the job ends, after the seconds, or when the signal is aborted. */
export async function waitForJob(job: Job, { seconds, signal, onProgress }: WaitForJob): Promise<void> {
  const listener = () => onProgress(job.progress)
  job.listeners.add(listener)
  listener()
  const over = new AbortController()
  const enough = AbortSignal.any([signal, over.signal])
  try {
    await Promise.race([job.ended, sleep(seconds * 1000, null, { signal: enough }).catch(() => {})])
  } finally {
    job.listeners.delete(listener)
    over.abort()
  }
}
