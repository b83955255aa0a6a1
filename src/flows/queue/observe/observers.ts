/** Combines a worker's observers: log, metrics and traces. */
import type { ReportWorkEvent } from '../worker/work_event.ts'
import { openMetrics, type ReadQueueStatus } from './metrics.ts'
import { type MetricsServer, serveMetrics } from './metrics_server.ts'
import { isTraced, openTraces, type Traces } from './traces.ts'
import { type LogOptions, openLog } from './worker_log.ts'

export interface Observers extends AsyncDisposable {
  tell: ReportWorkEvent
  /** The URL of the metrics; null: none. */
  metricsUrl: string | null
}

export interface ObserversRequest {
  log: LogOptions
  /** null: no metrics. */
  metrics: { host: string; port: number; look: ReadQueueStatus } | null
  version: string
  env: Readonly<Record<string, string | undefined>>
}

/** Throws UserError for a port in use and for missing packages. */
export async function openObservers({ log, metrics, version, env }: ObserversRequest): Promise<Observers> {
  const watching: ReportWorkEvent[] = [openLog(log)]
  const ends: (MetricsServer | Traces)[] = []
  let metricsUrl: string | null = null
  if (metrics !== null) {
    const made = await openMetrics(metrics.look)
    const server = await serveMetrics(made, metrics)
    watching.push(made.tell)
    ends.push(server)
    metricsUrl = server.url
  }
  if (isTraced(env)) {
    const traces = await openTraces({ version, env })
    watching.push(traces.tell)
    ends.push(traces)
  }
  return {
    metricsUrl,
    tell: (event) => {
      for (const one of watching) one(event)
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end[Symbol.asyncDispose]()
    },
  }
}
