/** Asks a server, by a call that costs nothing, whether the key is good and the model is there. */
import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk'
import type { Probe } from '../engine.ts'
import { engineErrorOf } from '../sdk_error.ts'
import { unusableSetting } from '../settings.ts'
import { baseUrlOf, openClient } from './client.ts'

const patienceMs = 15_000

export interface ReachRequest {
  credentials: Readonly<Record<string, string>>
  model: string
  /** False: only the key and the connection matter; an unknown model is no failure. */
  checkModel: boolean
  keyHeader?: 'authorization' | 'x-api-key'
  signal: AbortSignal
}

/** Null when nothing speaks against a run. Rejects only when aborted. */
export async function reachFailure(request: ReachRequest): Promise<Extract<Probe, { ok: false }> | null> {
  const { credentials } = request
  const address = { name: 'ANTHROPIC_BASE_URL', url: baseUrlOf(credentials) }
  const unusable = unusableSetting({ credentials, keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], address })
  if (unusable !== null) return unusable
  const client = openClient(credentials, request.keyHeader)
  const limit = AbortSignal.timeout(patienceMs)
  try {
    const params = { model: request.model, messages: [{ role: 'user' as const, content: 'hello' }] }
    await client.messages.countTokens(params, { signal: AbortSignal.any([request.signal, limit]) })
    return null
  } catch (error) {
    request.signal.throwIfAborted()
    if (limit.aborted) return unreachable(`${client.baseURL} gave no answer within ${patienceMs / 1000} s`)
    return failureOf(error, request, client.baseURL)
  }
}

function failureOf(error: unknown, request: ReachRequest, url: string): Extract<Probe, { ok: false }> | null {
  const { kind, message } = engineErrorOf(error, url, Anthropic)
  if (error instanceof APIConnectionError) return unreachable(message)
  if (!(error instanceof APIError)) return null // it answered, in a way of its own: the runs will show
  if (kind === 'credentials') {
    const fix =
      'check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), and that it belongs to ANTHROPIC_BASE_URL if that is set'
    return { ok: false, kind, message: `${url} refuses the key: ${message}`, fix }
  }
  const isAboutModel = error.status === 404 && message.includes(request.model)
  if (!request.checkModel || !isAboutModel) return null
  const fix = 'check the model id: --model sonnet, opus, haiku, or a full id'
  return { ok: false, kind: 'bad_request', message: `${url} does not know the model ${request.model}`, fix }
}

function unreachable(message: string): Extract<Probe, { ok: false }> {
  return {
    ok: false,
    kind: 'unreachable',
    message,
    fix: 'check the network, the proxy settings and ANTHROPIC_BASE_URL',
  }
}
