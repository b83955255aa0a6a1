/** All who watch a worker, as one: its log, its metrics, its traces. */
import type { TellWork } from '../queue/work_event.ts'
import { type LogOptions, openLog } from './log.ts'
import { type Look, openMetrics } from './metrics.ts'
import { type MetricsServer, serveMetrics } from './metrics_server.ts'
import { isTraced, openTraces, type Traces } from './traces.ts'

export interface Observers extends AsyncDisposable {
  tell: TellWork
  /** Where the metrics are; null: nowhere. */
  metricsUrl: string | null
}

export interface ObserversRequest {
  log: LogOptions
  /** null: no metrics. */
  metrics: { host: string; port: number; look: Look } | null
  version: string
  env: Readonly<Record<string, string | undefined>>
}

/** Throws UserError for a port that is taken and for packages that are absent. */
export async function openObservers({ log, metrics, version, env }: ObserversRequest): Promise<Observers> {
  const watching: TellWork[] = [openLog(log)]
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
