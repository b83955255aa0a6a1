/** Exports runs as OpenTelemetry spans, by the semantic conventions for GenAI agents (v1.37), over OTLP/HTTP. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes, SpanContext } from '@opentelemetry/api'
import type { Plan } from '../../../../schemas/plan.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { sha256 } from '../../../base/json/json.ts'
import { loadPeer } from '../../../base/optional_dependency.ts'
import type { ReportWorkEvent, WorkEvent } from '../worker/work_event.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Milliseconds; an unreachable collector must not delay the end. */
const flushTimeoutMs = 3000

/** Whether the environment names a collector, in OpenTelemetry's variables. */
export function isTraced(env: Environment): boolean {
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  return !isOff && Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT)
}

function resolveTraceEndpoint(env: Environment): string {
  const all = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${all.replace(/\/+$/, '')}/v1/traces`
}

const requiredPackages = {
  by: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  names: [
    '@opentelemetry/api',
    '@opentelemetry/sdk-trace-base',
    '@opentelemetry/resources',
    '@opentelemetry/exporter-trace-otlp-http',
  ],
}

async function loadOpenTelemetry() {
  const api = await import('@opentelemetry/api')
  const sdk = await import('@opentelemetry/sdk-trace-base')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const otlp = await import('@opentelemetry/exporter-trace-otlp-http')
  return { api, sdk, otlp, resourceFromAttributes }
}

interface TraceOptions {
  version: string
  env: Environment
}

/** `ids` of the one span to send; null: random. Throws UserError if packages are missing. */
async function openTracer({ version, env }: TraceOptions, ids: SpanContext | null) {
  const { api, sdk, otlp, resourceFromAttributes } = await loadPeer(loadOpenTelemetry, requiredPackages)
  const name = env.OTEL_SERVICE_NAME || 'whetstone'
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': version }),
    spanProcessors: [new sdk.BatchSpanProcessor(new otlp.OTLPTraceExporter({ url: resolveTraceEndpoint(env) }))],
    ...(ids && { idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId } }),
  })
  return {
    api,
    tracer: provider.getTracer('whetstone', version),
    async [Symbol.asyncDispose]() {
      const sent = provider.shutdown().catch(() => {})
      await Promise.race([sent, sleep(flushTimeoutMs, undefined, { ref: false })])
    },
  }
}

/**
 * Sends spans to the collector in the environment (the exporter itself reads headers and timeouts there); rejected spans are lost, and the
 * work continues. Dispose to flush. Throws UserError if packages are missing.
 */
export async function openTraces(traced: TraceOptions): Promise<{ tell: ReportWorkEvent } & AsyncDisposable> {
  const opened = await openTracer(traced, null)
  const { api, tracer } = opened
  return {
    tell(event) {
      if (event.type !== 'job_ended') return
      const parent = api.trace.setSpanContext(api.ROOT_CONTEXT, benchmarkSpan(event.benchmark))
      const { record } = event
      const options = {
        kind: api.SpanKind.INTERNAL,
        startTime: new Date(record.started_at),
        attributes: runAttributes(event),
      }
      const span = tracer.startSpan(`invoke_agent ${record.engine.name}`, options, parent)
      if (record.status === 'failed') span.setStatus({ code: api.SpanStatusCode.ERROR, message: record.error.kind })
      span.end(new Date(record.ended_at))
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** The parent span of a benchmark's runs; its coordinator sends it at the end. Throws UserError if packages are missing. */
export async function traceBenchmark(
  { benchmark, plan, endedAt }: { benchmark: string; plan: Plan; endedAt: Date },
  traced: TraceOptions,
): Promise<void> {
  await using opened = await openTracer(traced, benchmarkSpan(benchmark))
  const attributes = {
    'whetstone.benchmark': benchmark,
    'whetstone.skill': plan.skill.name,
    'whetstone.runs': plan.runs.length,
    'gen_ai.agent.name': plan.options.engine.name,
  }
  const options = { kind: opened.api.SpanKind.INTERNAL, startTime: new Date(plan.created_at), attributes, root: true }
  opened.tracer.startSpan(`benchmark ${plan.skill.name}`, options).end(endedAt)
}

/** All runs of a benchmark share one trace across machines: its ids derive from the benchmark's id. */
export function benchmarkSpan(benchmark: string): SpanContext {
  const hash = sha256(`trace of ${benchmark}`)
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48), traceFlags: 1, isRemote: true }
}

function runAttributes(event: Extract<WorkEvent, { type: 'job_ended' }>): Attributes {
  const { record, benchmark, job, queue, attempt } = event
  const all: Record<string, string | number | boolean | null> = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': record.engine.provider,
    'gen_ai.agent.name': record.engine.name,
    'gen_ai.agent.version': record.engine.version,
    'gen_ai.response.model': record.engine.model,
    'gen_ai.conversation.id': record.session_id,
    ...tokenAttributes(record),
    'error.type': record.status === 'completed' ? null : record.status === 'failed' ? record.error.kind : record.status,
    'whetstone.benchmark': benchmark,
    'whetstone.job': job,
    'whetstone.queue': queue,
    'whetstone.attempt': attempt,
    'whetstone.run_id': record.run_id,
    'whetstone.case': record.eval_name,
    'whetstone.configuration': record.configuration,
    'whetstone.status': record.status,
    'whetstone.steps': record.steps,
    'whetstone.cost_usd': record.cost?.usd ?? null,
    'whetstone.skill_read': record.skill.read,
  }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** In the conventions, input tokens include cached ones. */
function tokenAttributes({ usage }: RunRecord): Record<string, number> {
  if (usage === null) return {}
  return {
    'gen_ai.usage.input_tokens': usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
  }
}
