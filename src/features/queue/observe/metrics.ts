/** Exports a worker's events as Prometheus metrics. */
import type { Registry } from 'prom-client'
import { loadPeer } from '../../../base/optional_dependency.ts'
import type { QueueStatus } from '../queue_status.ts'
import type { ReportWorkEvent, WorkEvent } from '../worker/work_event.ts'

export interface WorkerMetrics {
  tell: ReportWorkEvent
  /** In the Prometheus text format. */
  text(): Promise<string>
  contentType: string
}

/** Seconds, from a tenth of a second to an hour. */
const buckets = [0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600, 1200, 3600]

/** The status of all queues on the server; may reject. */
export type ReadQueueStatus = () => Promise<{ queues: Omit<QueueStatus['queues'][number], 'isUntaken'>[] }>

/** Throws UserError if the optional package prom-client is not installed. */
export async function openMetrics(look: ReadQueueStatus): Promise<WorkerMetrics> {
  const prometheus = await loadPeer(() => import('prom-client'), { by: '--metrics-port', names: ['prom-client'] })
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  const parts = createParts(prometheus, registry)
  gaugeQueues(prometheus, registry, look)
  return { tell: (event) => count(event, parts), text: () => registry.metrics(), contentType: registry.contentType }
}

type Prometheus = typeof import('prom-client')
type Parts = ReturnType<typeof createParts>

function createParts({ Counter, Gauge, Histogram }: Prometheus, register: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `whetstone_${name}`, help, labelNames, registers: [register] })
  /** The queue of each job in progress. */
  const hands = new Map<string, string>()
  const inFlight = new Gauge({
    name: 'whetstone_jobs_in_flight',
    help: 'Jobs in this worker now',
    labelNames: ['queue'],
    registers: [register],
    collect() {
      inFlight.reset()
      for (const queue of hands.values()) inFlight.inc({ queue })
    },
  })
  return {
    hands,
    taken: counter('jobs_taken_total', 'Jobs that this worker started', ['queue']),
    runs: counter('runs_total', 'Runs that ended', ['engine', 'status', 'error']),
    seconds: new Histogram({
      name: 'whetstone_run_duration_seconds',
      help: 'Wall time of the agent',
      labelNames: ['engine', 'status'],
      buckets,
      registers: [register],
    }),
    tokens: counter('tokens_total', 'Tokens that runs used', ['engine', 'model', 'type']),
    cost: counter('cost_usd_total', 'US dollars that runs cost, where that is known', ['engine', 'model']),
    unpriced: counter('runs_of_unknown_cost_total', 'Runs whose cost is unknown', ['engine']),
    rateLimited: counter('rate_limited_total', 'Runs that the rate limit of an account refused', ['engine']),
    left: counter('jobs_left_total', 'Jobs that this worker did not finish; lost: another worker has them now', [
      'queue',
      'lost',
    ]),
    refused: counter('jobs_refused_total', 'Jobs that this worker refused', ['queue']),
    damaged: counter('bundle_damage_total', 'Bundles that did not match their hash', ['problem']),
    isStopped: new Gauge({
      name: 'whetstone_intake_stopped',
      help: '1: this worker takes no jobs, because its machine lacks a resource',
      registers: [register],
    }),
    trouble: counter('queue_errors_total', 'Errors of the queue server', []),
  }
}

const states = ['waiting', 'active', 'done', 'failed'] as const

/** Queried from the server at each scrape and omitted if it does not answer. The same on every worker. */
function gaugeQueues({ Gauge }: Prometheus, register: Registry, look: ReadQueueStatus): void {
  const jobs = new Gauge({
    name: 'whetstone_queue_jobs',
    help: 'Jobs of the whole queue, the same at every worker; done: ended, but not yet fetched',
    labelNames: ['queue', 'engine', 'tags', 'state'],
    registers: [register],
    async collect() {
      const queues = await look().then(
        (found) => found.queues,
        () => [],
      )
      jobs.reset()
      for (const { queue, needs, counts } of queues) {
        const labels = { queue, engine: needs.engine, tags: needs.tags.join(',') }
        for (const state of states) jobs.set({ ...labels, state }, counts[state])
      }
    },
  })
}

function count(event: WorkEvent, parts: Parts): void {
  switch (event.type) {
    case 'worker_started':
    case 'worker_stopped':
    case 'queue_held':
      break
    case 'job_started':
      parts.taken.inc({ queue: event.queue })
      parts.hands.set(event.job, event.queue)
      break
    case 'job_ended':
      parts.hands.delete(event.job)
      countRun(event, parts)
      break
    case 'job_left':
      parts.hands.delete(event.job)
      parts.left.inc({ queue: event.queue, lost: String(event.lost) })
      break
    case 'job_refused':
      parts.hands.delete(event.job)
      parts.refused.inc({ queue: event.queue })
      break
    case 'bundle_damaged':
      parts.damaged.inc({ problem: event.problem })
      break
    case 'intake_stopped':
    case 'intake_resumed':
      parts.isStopped.set(event.type === 'intake_stopped' ? 1 : 0)
      break
    case 'trouble':
      parts.trouble.inc()
      break
  }
}

function countRun({ engine, record }: Extract<WorkEvent, { type: 'job_ended' }>, parts: Parts): void {
  const { status, usage, cost } = record
  const error = record.status === 'failed' ? record.error.kind : ''
  const model = record.engine.model ?? ''
  parts.runs.inc({ engine, status, error })
  parts.seconds.observe({ engine, status }, record.duration_ms / 1000)
  if (error === 'rate_limited') parts.rateLimited.inc({ engine })
  for (const [type, tokens] of Object.entries(usage ?? {})) {
    if (type !== 'reasoning_tokens') parts.tokens.inc({ engine, model, type: type.replace(/_tokens$/, '') }, tokens)
  }
  if (cost === null) parts.unpriced.inc({ engine })
  else parts.cost.inc({ engine, model }, cost.usd)
}
