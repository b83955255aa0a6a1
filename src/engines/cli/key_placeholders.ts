/** Gives an agent a placeholder in place of each of the user's keys; a proxy in this process puts the key into its requests. */
import { randomBytes } from 'node:crypto'
import type { AllowedRequest } from '../../base/credential_proxy/allowed_requests.ts'
import { openCredentialProxy } from '../../base/credential_proxy/credential_proxy.ts'
import { findUserProxy, proxyBypassEnv } from '../../base/credential_proxy/user_proxy.ts'
import { placeholderWord } from '../../base/secrets/secret_forms.ts'
import { type EmittedEvent, type Engine, type EngineContext, type EngineTask, emptyReport } from '../engine.ts'
import { openRateLimiter } from '../limits/rate_limiter.ts'
import { ModelCalls } from './model_calls.ts'

/** A server that an agent sends its requests to, and the credentials for it. */
export interface KeyedServer {
  /** The variable that tells the agent its base URL. */
  address: string
  /** The real base URL. */
  url: string
  /** The variables with its keys. */
  keys: readonly string[]
  /** The requests that the agent needs, below the base URL; no other is sent with the key. */
  requests: readonly AllowedRequest[]
  /** Of its models, by the name that prices use, where the agent does not say. */
  provider: string
  /** Variables added to the agent's environment. */
  env?: Readonly<Record<string, string>>
}

/**
 * Wraps `run` with placeholders: its task has none of these servers' keys, and the base URLs of proxies; both end with the run. Its report
 * also has the model calls at the proxies that the agent itself does not report. A server has no effect if `serverOf` returns null, if no
 * key is set, or if the base URL is not http(s). If a server can't be reached, the agent sees closed connections; its failure is still
 * `unreachable`.
 */
export function withPlaceholders(
  run: Engine['run'],
  ...serversOf: readonly ((task: EngineTask) => KeyedServer | null)[]
): Engine['run'] {
  return async (task, context) => {
    const calls = new ModelCalls(serversOf.length === 1, task)
    const emit = (event: EmittedEvent) => {
      calls.steps = Math.max(calls.steps, event.step)
      context.emit(event)
    }
    const idleMs = (context.gate ?? openRateLimiter(null)).idleMs
    const soFar: EngineContext['soFar'] = (report) =>
      context.soFar?.(async () => calls.completeCut(await report(), idleMs))
    soFar(() => Promise.resolve(emptyReport))
    const proxied = serversOf.reduce((inner, serverOf) => withServer(inner, serverOf, calls), run)
    const outcome = await proxied(task, { ...context, emit, soFar })
    const report = await calls.complete(outcome.report)
    return outcome.status === 'completed'
      ? { ...outcome, report }
      : { ...outcome, report, error: calls.correctBlame(outcome.error) }
  }
}

function withServer(
  run: Engine['run'],
  serverOf: (task: EngineTask) => KeyedServer | null,
  calls: ModelCalls,
): Engine['run'] {
  return async (task, context) => {
    context.signal.throwIfAborted()
    const server = serverOf(task)
    const endpoint = server && parseEndpoint(server.url)
    const keys = selectKeys(task, server?.keys ?? [])
    if (server === null || endpoint === null || keys.length === 0) return await run(task, context)
    calls.isProxied = true
    await using proxy = await openCredentialProxy({
      endpoint,
      userProxy: findUserProxy(endpoint, task.env),
      keys: new Map(keys.map(({ placeholder, key }) => [placeholder, key])),
      allowed: server.requests,
      onRefused: (request) => calls.refuse(request),
      onForwarded: (request) => calls.follow(request, server.provider),
    })
    const placeholders = Object.fromEntries(keys.map(({ name, placeholder }) => [name, placeholder]))
    const credentials = { ...task.credentials, ...placeholders, [server.address]: proxy.url }
    const env = { ...task.env, ...proxyBypassEnv('127.0.0.1', task.env), ...server.env }
    const correct = <K extends string>({ kind, message }: { kind: K; message: string }) => {
      if (proxy.unreachable !== null && (kind === 'server_error' || kind === 'unreachable')) {
        return { kind: 'unreachable' as const, message: `can't reach ${server.url}: ${proxy.unreachable}` }
      }
      // messages name the address that the user knows
      return { kind, message: message.replaceAll(new URL(proxy.url).origin, endpoint.origin) }
    }
    const emit = (event: EmittedEvent) => context.emit(event.type === 'error' ? { ...event, ...correct(event) } : event)
    const outcome = await run({ ...task, credentials, env }, { ...context, emit })
    return outcome.status === 'completed'
      ? outcome
      : { ...outcome, error: { ...outcome.error, ...correct(outcome.error) } }
  }
}

function parseEndpoint(url: string): URL | null {
  const endpoint = URL.canParse(url) ? new URL(url) : null
  return endpoint !== null && /^https?:$/.test(endpoint.protocol) ? endpoint : null
}

function selectKeys({ credentials }: EngineTask, names: readonly string[]) {
  return names.flatMap((name) => {
    const key = credentials[name]?.trim()
    return key ? [{ name, key, placeholder: createPlaceholder(key) }] : []
  })
}

/** Some programs tell the kind of a key by its prefix, so the placeholder has the same prefix. */
function createPlaceholder(key: string): string {
  const [prefix = ''] = /^sk-(?:ant-(?:[a-z]+\d+-)?|proj-|svcacct-)?/.exec(key) ?? []
  return `${prefix}${placeholderWord}${randomBytes(32).toString('hex')}`
}
