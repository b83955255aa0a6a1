/** Logs a worker's events as lines for people, or as JSON for collectors. Redacts secrets from the environment. */
import { jsonText } from '../../../base/json/json_text.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import type { ReportWorkEvent, WorkEvent } from '../worker/work_event.ts'

export type LogFormat = 'text' | 'json'
type Level = 'info' | 'warn' | 'error'

export interface LogOptions {
  format: LogFormat
  write: (line: string) => void
  now: () => Date
  redactor: Redactor
}

export function openLog({ format, write, now, redactor }: LogOptions): ReportWorkEvent {
  return (event) => {
    const time = now().toISOString()
    write(`${redactor.text(format === 'json' ? formatJsonLine(event, time) : formatTextLine(event, time))}\n`)
  }
}

const levels = {
  worker_started: 'info',
  worker_stopped: 'info',
  queue_held: 'info',
  job_started: 'info',
  job_ended: 'info',
  job_left: 'warn',
  job_refused: 'error',
  bundle_damaged: 'error',
  intake_stopped: 'error',
  intake_resumed: 'info',
  trouble: 'warn',
} as const satisfies Record<WorkEvent['type'], Level>

function formatJsonLine(event: WorkEvent, time: string): string {
  const { type, ...rest } = event
  return jsonText({ time, level: levels[type], type, ...(event.type === 'job_ended' ? runFields(event) : rest) })
}

/** A run's identity and cost, not its conversation, which is in its folder. */
function runFields(event: Extract<WorkEvent, { type: 'job_ended' }>): Record<string, unknown> {
  const { job, run_id, benchmark, queue, engine, attempt, record } = event
  return {
    job,
    run_id,
    benchmark,
    queue,
    engine,
    attempt,
    configuration: record.configuration,
    status: record.status,
    ...(record.status === 'failed' && { error: record.error }),
    duration_ms: record.duration_ms,
    model: record.engine.model,
    engine_version: record.engine.version,
    usage: record.usage,
    cost_usd: record.cost?.usd ?? null,
  }
}

function formatTextLine(event: WorkEvent, time: string): string {
  const level = levels[event.type]
  const said = formatSentence(event).replaceAll(/\s+/g, ' ')
  return `${time.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${said}`
}

function formatSentence(event: WorkEvent): string {
  switch (event.type) {
    case 'worker_started':
      return `working for ${event.place} as ${event.worker}: ${event.engines.join(', ')}, ${event.concurrency} at once`
    case 'worker_stopped':
      return `stopped: ${event.done} runs done, ${event.failed} left`
    case 'queue_held':
      return `takes from ${event.queue} (${[event.engine, ...event.tags].join(', ')})`
    case 'job_started':
      return `${event.run_id} started${event.starts > 1 ? ` (start ${event.starts})` : ''}`
    case 'job_ended': {
      const { record } = event
      const why = record.status === 'failed' ? ` (${record.error.kind}: ${record.error.message})` : ''
      return `${event.run_id} ${record.status}${why}, ${(record.duration_ms / 1000).toFixed(1)} s`
    }
    case 'job_left':
      return `${event.run_id} left: ${event.reason}`
    case 'job_refused':
      return `job ${event.job} refused: ${event.reason}`
    case 'bundle_damaged':
      return `bundle ${event.bundle}: ${event.at ?? 'its list of files'} ${event.problem} (${event.place})`
    case 'intake_stopped':
      return `takes no more jobs until this is fixed: ${event.reason}`
    case 'intake_resumed':
      return 'that is fixed: takes jobs again'
    case 'trouble':
      return `queue: ${event.message}`
  }
}
