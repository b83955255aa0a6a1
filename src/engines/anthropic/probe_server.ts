/** Asks a server, by a call that costs nothing, whether it accepts the key and has the model. */
import { askServer } from '../answers/ask_server.ts'
import type { Probe } from '../engine.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { type AnthropicCredentials, anthropicBaseUrl, type KeyHeader, keyHeaders } from './address.ts'

/** The same as the SDK sends; a test compares the two. */
const apiVersion = '2026-10-21'

export interface ReachRequest {
  credentials: AnthropicCredentials
  model: string
  /** False: only the key and the connection matter; an unknown model is not a failure. */
  checkModel: boolean
  keyHeader?: KeyHeader
  signal: AbortSignal
}

/** Null if nothing speaks against a run. Rejects only when aborted. */
export async function probeAnthropicServer(request: ReachRequest): Promise<Extract<Probe, { ok: false }> | null> {
  const { credentials, model, signal } = request
  const url = anthropicBaseUrl(credentials)
  const address = { name: 'ANTHROPIC_BASE_URL', url }
  const unusable = findUnusableSetting({ credentials, keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], address })
  if (unusable !== null) return unusable
  const answer = await askServer({
    base: url,
    path: '/v1/messages/count_tokens',
    headers: { 'anthropic-version': apiVersion, ...keyHeaders(credentials, request.keyHeader ?? 'authorization') },
    body: { model, messages: [{ role: 'user', content: 'hello' }] },
    signal,
  })
  if (answer.as === 'silence') {
    const fix = 'check the network, the proxy settings and ANTHROPIC_BASE_URL'
    return { ok: false, kind: 'unreachable', message: answer.message, fix }
  }
  if (answer.as === 'answer') return null
  const { kind, message } = answer
  if (kind === 'credentials') {
    const fix =
      'check ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), and that it belongs to ANTHROPIC_BASE_URL if that is set'
    return { ok: false, kind, message: `${url} refuses the key: ${message}`, fix }
  }
  // any other answer is left to the runs
  if (!request.checkModel || answer.status !== 404 || !message.includes(model)) return null
  const fix = 'check the model id: --model sonnet, opus, haiku, or a full id'
  return { ok: false, kind: 'bad_request', message: `${url} does not know the model ${model}`, fix }
}
