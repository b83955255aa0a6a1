/** What happens at a worker is seen in its log, its metrics and its traces, as it was, and nothing secret with it. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { getRedactor } from '../../../../src/base/secrets/redact.ts'
import { type LogFormat, openLog, openObservers } from '../../../../src/features/queue/observe/observers.ts'
import { benchmarkSpan, isTraced } from '../../../../src/features/queue/observe/traces.ts'
import type { WorkEvent } from '../../../../src/features/queue/worker/work_event.ts'
import { record } from '../../../fixtures/record.ts'
import { startCollector, valuesOf } from '../span_collector.ts'

const hand = {
  job: 'j1',
  queue: 'runs-1',
  benchmark: '0123456789abcdef',
  run_id: 'eval-1-a/with_skill/run-1',
  engine: 'command',
}
const taken: WorkEvent = { type: 'job_started', starts: 1, ...hand }
const ended = (changes: Record<string, unknown> = {}): WorkEvent => ({
  type: 'job_ended',
  attempt: 1,
  ...hand,
  record: record(changes),
})
const failed = { status: 'failed', error: { kind: 'rate_limited', message: 'slow down' }, cost: null, usage: null }
const all: WorkEvent[] = [
  { type: 'worker_started', worker: 'w1', place: 'redis://h', concurrency: 2, engines: ['command'] },
  taken,
  ended(),
  { type: 'job_left', reason: 'the lock is lost', lost: true, ...hand },
  { type: 'job_refused', job: 'j2', queue: 'runs-1', reason: 'not signed' },
  { type: 'bundle_damaged', bundle: 'b', at: 'SKILL.md', place: '/p', problem: 'damaged' },
  { type: 'trouble', message: 'connect ECONNREFUSED' },
  { type: 'worker_stopped', worker: 'w1', done: 1, failed: 0 },
]
const moment = () => new Date('2026-01-15T10:30:00Z')

function logged(format: LogFormat, events: readonly WorkEvent[], env: Record<string, string> = {}): string[] {
  const lines: string[] = []
  const log = openLog({ format, write: (line) => lines.push(line), now: moment, redactor: getRedactor(env) })
  for (const event of events) log(event)
  return lines
}

describe('the log', () => {
  test('as JSON: one object a line, with time, level and type', () => {
    const lines = logged('json', all)
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
    const parsed = lines.map((line) => z.looseObject({ type: z.string(), level: z.string() }).parse(JSON.parse(line)))
    expect(parsed.map(({ type, level }) => `${level} ${type}`)).toEqual([
      'info worker_started',
      'info job_started',
      'info job_ended',
      'warn job_left',
      'error job_refused',
      'error bundle_damaged',
      'warn trouble',
      'info worker_stopped',
    ])
    expect(parsed[2]).toMatchObject({
      time: '2026-01-15T10:30:00.000Z',
      job: 'j1',
      status: 'completed',
      duration_ms: 10_000,
      cost_usd: 0.01,
    })
    expect(parsed[2]).not.toHaveProperty('record')
  })
  test('says the error of a failed run, and null where a cost is unknown', () => {
    const [line = ''] = logged('json', [ended(failed)])
    expect(JSON.parse(line)).toMatchObject({ status: 'failed', error: failed.error, cost_usd: null, usage: null })
  })
  test('as text: what is in a line makes no second one', () => {
    expect(logged('text', [{ type: 'trouble', message: 'a\nb' }])).toEqual(['10:30:00 warn: queue: a b\n'])
  })
  test.each(['json', 'text'] as const)('as %s holds no secret of the environment', (format) => {
    const env = { WHETSTONE_QUEUE_PASSWORD: 'hunter2-hunter2-hunter2' }
    const event: WorkEvent = { type: 'trouble', message: `no way in with ${env.WHETSTONE_QUEUE_PASSWORD}` }
    expect(logged(format, [event], env).join('')).toContain('[redacted:WHETSTONE_QUEUE_PASSWORD]')
    expect(logged(format, [event]).join('')).toContain(env.WHETSTONE_QUEUE_PASSWORD) // control
  })
})

const quiet = { format: 'json', write: () => {}, now: moment, redactor: getRedactor({}) } as const
const counts = { waiting: 7, active: 2, done: 1, failed: 0, isDrained: false, limit: null }
const needs = { engine: 'command', account: null, base_url: null, tags: ['eu', 'gpu'] }
const look = async () => ({ queues: [{ queue: 'runs-1', needs, counts }] })
const anyPort = { host: '127.0.0.1', port: 0, look }

describe('the metrics', () => {
  const observers = (env = {}) => openObservers({ log: quiet, metrics: anyPort, version: '1', env })
  const scrape = async (url: string | null) => (await fetch(url ?? '')).text()
  test('are there before anything happened, and count what did', async () => {
    await using watching = await observers()
    expect(await scrape(watching.metricsUrl)).not.toMatch(/^whetstone_runs_total\{/m)
    watching.tell({ ...taken, job: 'j0' })
    for (const event of [...all, taken, ended(failed), taken]) watching.tell(event)
    const text = await scrape(watching.metricsUrl)
    const line = (start: string) => text.split('\n').find((one) => one.startsWith(start))
    for (const expected of [
      'whetstone_jobs_taken_total{queue="runs-1"} 4',
      'whetstone_jobs_in_flight{queue="runs-1"} 2',
      'whetstone_runs_total{engine="command",status="completed",error=""} 1',
      'whetstone_runs_total{engine="command",status="failed",error="rate_limited"} 1',
      'whetstone_rate_limited_total{engine="command"} 1',
      'whetstone_tokens_total{engine="command",model="m",type="input"} 100',
      'whetstone_tokens_total{engine="command",model="m",type="cache_write"} 4',
      'whetstone_cost_usd_total{engine="command",model="m"} 0.01',
      'whetstone_runs_of_unknown_cost_total{engine="command"} 1',
      'whetstone_jobs_left_total{queue="runs-1",lost="true"} 1',
      'whetstone_jobs_refused_total{queue="runs-1"} 1',
      'whetstone_bundle_damage_total{problem="damaged"} 1',
      'whetstone_queue_errors_total 1',
      'whetstone_queue_jobs{queue="runs-1",engine="command",tags="eu,gpu",state="waiting"} 7',
      'whetstone_queue_jobs{queue="runs-1",engine="command",tags="eu,gpu",state="active"} 2',
      'whetstone_run_duration_seconds_bucket{le="10",engine="command",status="completed"} 1',
    ]) {
      expect(line(expected.slice(0, expected.lastIndexOf(' '))), expected).toBe(expected)
    }
    expect(line('process_cpu_seconds_total')).toBeDefined()
  })
  test('are there without the queues where their server does not answer', async () => {
    const away = { ...anyPort, look: () => Promise.reject(new Error('no answer within 3 s')) }
    await using watching = await openObservers({ log: quiet, metrics: away, version: '1', env: {} })
    const text = await scrape(watching.metricsUrl)
    expect(text).toMatch(/^whetstone_intake_stopped 0$/m)
    expect(text).not.toMatch(/^whetstone_queue_jobs\{/m)
  })
  test('nothing else is served; the server ends', async () => {
    const watching = await observers()
    const base = (watching.metricsUrl ?? '').replace(/\/metrics$/, '')
    expect(await (await fetch(`${base}/healthz`)).text()).toBe('ok\n')
    expect((await fetch(`${base}/`)).status).toBe(404)
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(404)
    await watching[Symbol.asyncDispose]()
    await expect(fetch(`${base}/healthz`)).rejects.toThrow()
  })
})

describe('the traces', () => {
  const watchers = (env: Record<string, string>) => openObservers({ log: quiet, metrics: null, version: '1.2.3', env })
  test('each run is a span, by the conventions for agents, of one trace for its benchmark', async () => {
    await using there = await startCollector()
    const watching = await watchers({ OTEL_EXPORTER_OTLP_ENDPOINT: `${there.url}/`, OTEL_SERVICE_NAME: 'nightly' })
    for (const event of [...all, ended(failed)]) watching.tell(event)
    await watching[Symbol.asyncDispose]()
    expect(there.requests).toEqual(['/v1/traces'])
    expect(there.resources).toMatchObject([{ 'service.name': 'nightly', 'service.version': '1.2.3' }])
    const [first, second] = there.spans
    const { traceId, spanId } = benchmarkSpan(hand.benchmark)
    expect(first).toMatchObject({ name: 'invoke_agent command', traceId, parentSpanId: spanId, status: { code: 0 } })
    expect(Number(first?.endTimeUnixNano) - Number(first?.startTimeUnixNano)).toBe(10e9)
    expect(valuesOf(first?.attributes)).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'command',
      'gen_ai.response.model': 'm',
      'gen_ai.usage.input_tokens': 107,
      'gen_ai.usage.output_tokens': 20,
      'whetstone.run_id': hand.run_id,
      'whetstone.cost_usd': 0.01,
    })
    expect(second).toMatchObject({ traceId, status: { code: 2, message: 'rate_limited' } })
    expect(valuesOf(second?.attributes)).toMatchObject({ 'error.type': 'rate_limited' })
    expect(valuesOf(second?.attributes)).not.toHaveProperty('whetstone.cost_usd')
  })
  test('a collector that is away stops nothing', async () => {
    const watching = await watchers({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' })
    watching.tell(ended())
    await watching[Symbol.asyncDispose]()
  })
  test.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://h' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('%j: traced %s', (env, expected) => expect(isTraced(env)).toBe(expected))
})
