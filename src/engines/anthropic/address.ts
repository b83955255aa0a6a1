/** The address of the Anthropic API and the header that signs a request, from `credentials` alone; asks, without cost, whether the server accepts both. */
import { askServer, findModelIds, suggestModel } from '../answers/ask_server.ts'
import type { Probe } from '../engine.ts'
import { providers } from '../models/providers.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'

export type AnthropicCredentials = Readonly<Record<string, string>>

/** The header with the API key: a gateway may accept only the header of the program that it was set up for. */
type KeyHeader = 'authorization' | 'x-api-key'

/** Whether there is anything to sign requests with. */
export function hasAnthropicKey(credentials: AnthropicCredentials): boolean {
  return Boolean(credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN)
}

export function anthropicBaseUrl(credentials: AnthropicCredentials): string {
  return credentials.ANTHROPIC_BASE_URL || 'https://api.anthropic.com'
}

/** The header that signs a request; the API key is used before the token. */
function keyHeaders(credentials: AnthropicCredentials, by: KeyHeader): Record<string, string> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  if (apiKey && by === 'x-api-key') return { 'x-api-key': apiKey.trim() }
  return { authorization: `Bearer ${(apiKey || authToken || '').trim()}` }
}

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
  const names = { key: 'ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)', address: 'ANTHROPIC_BASE_URL' }
  const headers = keyHeaders(credentials, request.keyHeader ?? 'authorization')
  const refused = await countTokensOnServer({ url, headers, model, names, signal })
  if (refused === null || refused.kind !== 'bad_request') return refused
  if (!request.checkModel) return null
  return { ...refused, fix: suggestModel(model, await listModels(request, url)) }
}

export interface CountRequest {
  url: string
  headers: Readonly<Record<string, string>>
  model: string
  /** The variables that hold the key and the address, for messages. */
  names: { key: string; address: string }
  signal: AbortSignal
}

/** Counts the tokens of a word. null: the server answers, or its refusal is left to the runs; bad_request: it does not know the model. */
export async function countTokensOnServer(request: CountRequest): Promise<Extract<Probe, { ok: false }> | null> {
  const { url, headers, model, names, signal } = request
  const answer = await askServer({
    base: url,
    path: '/v1/messages/count_tokens',
    headers: { 'anthropic-version': apiVersion, ...headers },
    body: { model, messages: [{ role: 'user', content: 'hello' }] },
    signal,
  })
  if (answer.as === 'silence') {
    const fix = `check the network, the proxy settings and ${names.address}`
    return { ok: false, kind: 'unreachable', message: answer.message, fix }
  }
  if (answer.as === 'answer') return null
  const { kind, message } = answer
  if (kind === 'credentials') {
    const fix = `check ${names.key}, and that it belongs to ${names.address} if that is set`
    return { ok: false, kind, message: `${url} rejects the key: ${message}`, fix }
  }
  if (answer.status !== 404 || !message.includes(model)) return null
  return { ok: false, kind: 'bad_request', message: `${url} does not know the model "${model}"`, fix: 'check its name' }
}

/** The server's models with their short names first; the short names alone if it does not list its models. */
async function listModels(request: ReachRequest, url: string): Promise<string[]> {
  const { credentials, keyHeader = 'authorization' } = request
  const headers = { 'anthropic-version': apiVersion, ...keyHeaders(credentials, keyHeader) }
  const answer = await askServer({ base: url, path: '/v1/models', headers, signal: request.signal })
  const ids = answer.as === 'answer' ? findModelIds(answer.body) : null
  const names = Object.entries(providers.anthropic.aliases)
  if (ids === null) return names.map(([name]) => name)
  return [...names.flatMap(([name, id]) => (ids.includes(id) ? name : [])), ...ids]
}
