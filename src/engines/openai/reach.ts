/** Asks a server for its models, which costs nothing: is the key good, is the model there? */
import { askServer, type ServerAnswer } from '../ask_server.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { unusableSetting } from '../settings.ts'
import { baseUrlOf } from './address.ts'

type Failure = Extract<Probe, { ok: false }>

/** Null when nothing speaks against a run. Rejects only when aborted. */
export async function reachFailure(
  { credentials, signal }: Pick<ProbeRequest, 'credentials' | 'signal'>,
  model: string,
): Promise<Failure | null> {
  const url = baseUrlOf(credentials)
  const unusable = unusableSetting({ credentials, keys: ['OPENAI_API_KEY'], address: { name: 'OPENAI_BASE_URL', url } })
  if (unusable !== null) return unusable
  const headers = { authorization: `Bearer ${(credentials.OPENAI_API_KEY ?? '').trim()}` }
  const listed = await askServer({ base: url, path: '/models', headers, signal })
  if (listed.as !== 'answer') return failureOf(listed, url)
  const known = idsIn(listed.body)
  if (known === null || known.includes(model)) return null // no list: the runs will show
  // under another name than in the list, as with servers that add a tag
  const one = await askServer({ base: url, path: `/models/${encodeURIComponent(model)}`, headers, signal })
  if (one.as !== 'refusal' || one.status >= 500) return one.as === 'answer' ? null : failureOf(one, url)
  const some = known.slice(0, 5).join(', ')
  const fix = `check the model id with --model${some === '' ? '' : `; it has ${some}${known.length > 5 ? ', …' : ''}`}`
  return { ok: false, kind: 'bad_request', message: `${url} does not know the model ${model}`, fix }
}

/** { data: [{ id }, …] }; null: it is something else. */
function idsIn(body: unknown): string[] | null {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return null
  return body.data.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? one.id : [],
  )
}

function failureOf(answer: Exclude<ServerAnswer, { as: 'answer' }>, url: string): Failure | null {
  if (answer.as === 'silence') {
    const fix = 'check the network, the proxy settings, OPENAI_BASE_URL and --base-url'
    return { ok: false, kind: 'unreachable', message: answer.message, fix }
  }
  const { kind, message } = answer
  if (kind !== 'credentials') return null // it answered, in a way of its own: the runs will show
  const fix = 'check OPENAI_API_KEY, and that it belongs to OPENAI_BASE_URL or --base-url if one is set'
  return { ok: false, kind, message: `${url} refuses the key: ${message}`, fix }
}
