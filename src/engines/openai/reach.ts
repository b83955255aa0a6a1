/** Asks a server for its models, which costs nothing: is the key good, is the model there? */
import OpenAI from 'openai'
import type { Probe, ProbeRequest } from '../engine.ts'
import { engineErrorOf } from '../sdk_error.ts'
import { unusableSetting } from '../settings.ts'
import { baseUrlOf, openClient } from './client.ts'

const patienceMs = 15_000

type Failure = Extract<Probe, { ok: false }>

/** Null when nothing speaks against a run. Rejects only when aborted. */
export async function reachFailure(
  { credentials, signal }: Pick<ProbeRequest, 'credentials' | 'signal'>,
  model: string,
): Promise<Failure | null> {
  const url = baseUrlOf(credentials)
  const unusable = unusableSetting({ credentials, keys: ['OPENAI_API_KEY'], address: { name: 'OPENAI_BASE_URL', url } })
  if (unusable !== null) return unusable
  const client = openClient(credentials)
  const limit = AbortSignal.timeout(patienceMs)
  const both = AbortSignal.any([signal, limit])
  try {
    const known = (await client.models.list({ signal: both })).data.map(({ id }) => id)
    if (known.includes(model) || (await isFound(client, model, both))) return null
    const some = known.slice(0, 5).join(', ')
    const fix = `check the model id with --model${some === '' ? '' : `; it has ${some}${known.length > 5 ? ', …' : ''}`}`
    return { ok: false, kind: 'bad_request', message: `${url} does not know the model ${model}`, fix }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return unreachable(`${url} gave no answer within ${patienceMs / 1000} s`)
    return failureOf(error, url)
  }
}

/** Under another name than in the list, as with servers that add a tag. */
async function isFound(client: OpenAI, model: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.models.retrieve(model, { signal })
    return true
  } catch (error) {
    if (error instanceof OpenAI.APIError && error.status !== undefined && error.status < 500) return false
    throw error
  }
}

function failureOf(error: unknown, url: string): Failure | null {
  const { kind, message } = engineErrorOf(error, url, OpenAI)
  if (error instanceof OpenAI.APIConnectionError) return unreachable(message)
  if (kind !== 'credentials') return null // it answered, in a way of its own: the runs will show
  const fix = 'check OPENAI_API_KEY, and that it belongs to OPENAI_BASE_URL or --base-url if one is set'
  return { ok: false, kind, message: `${url} refuses the key: ${message}`, fix }
}

function unreachable(message: string): Failure {
  const fix = 'check the network, the proxy settings, OPENAI_BASE_URL and --base-url'
  return { ok: false, kind: 'unreachable', message, fix }
}
