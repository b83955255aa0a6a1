/** Events of a worker as lines: for people, or JSON for what collects logs. Secrets of the environment are taken out. */
import type { Redactor } from '../../base/redact.ts'
import type { Observe, WorkerEvent } from './event.ts'

export type LogFormat = 'text' | 'json'
type Level = 'info' | 'warn' | 'error'

export interface LogOptions {
  format: LogFormat
  write: (line: string) => void
  now: () => Date
  redactor: Redactor
}

export function openLog({ format, write, now, redactor }: LogOptions): Observe {
  return (event) => {
    const level = levels[event.type]
    const { type, ...rest } = event
    const fields: Record<string, unknown> = event.type === 'run_ended' ? runFields(event) : rest
    const time = now().toISOString()
    const line =
      format === 'json'
        ? JSON.stringify({ time, level, event: type, ...fields })
        : textOf({ time, level, type, fields })
    write(`${redactor.text(line)}\n`)
  }
}

const levels = {
  worker_started: 'info',
  worker_stopped: 'info',
  job_taken: 'info',
  run_ended: 'info',
  job_lost: 'warn',
  job_refused: 'error',
  bundle_damaged: 'error',
  queue_trouble: 'warn',
} as const satisfies Record<WorkerEvent['type'], Level>

/** What a run was and took, not what was said in it: that lies in its folder. */
function runFields({
  type: _type,
  record,
  ...rest
}: Extract<WorkerEvent, { type: 'run_ended' }>): Record<string, unknown> {
  return {
    ...rest,
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

interface TextParts {
  time: string
  level: Level
  type: string
  fields: Readonly<Record<string, unknown>>
}

function textOf({ time, level, type, fields }: TextParts): string {
  const said = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`,
  )
  return [time.slice(11, 19), level === 'info' ? '' : level.toUpperCase(), type.replaceAll('_', ' '), ...said]
    .filter((part) => part !== '')
    .join(' ')
}

/** On one line, whatever is in it. */
function quoted(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text)
}
