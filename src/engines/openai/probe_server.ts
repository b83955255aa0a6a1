/** Asks a server for its models, which costs nothing, to check that it accepts the key and has the model. */
import { askServer, findModelIds, type ServerAnswer, suggestModel } from '../answers/ask_server.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { openaiBaseUrl } from './address.ts'

type Failure = Extract<Probe, { ok: false }>

/** Null if nothing speaks against a run. Rejects only when aborted. */
export async function probeOpenaiServer(
  { credentials, signal }: Pick<ProbeRequest, 'credentials' | 'signal'>,
  model: string,
): Promise<Failure | null> {
  const url = openaiBaseUrl(credentials)
  const unusable = findUnusableSetting({
    credentials,
    keys: ['OPENAI_API_KEY'],
    address: { name: 'OPENAI_BASE_URL', url },
  })
  if (unusable !== null) return unusable
  const headers = { authorization: `Bearer ${(credentials.OPENAI_API_KEY ?? '').trim()}` }
  const listed = await askServer({ base: url, path: '/models', headers, signal })
  if (listed.as !== 'answer') return toProbeFailure(listed, url)
  const known = findModelIds(listed.body)
  if (known === null || known.includes(model)) return null // without a list, it is left to the runs
  // some servers list a model under another name, such as one with a tag
  const one = await askServer({ base: url, path: `/models/${encodeURIComponent(model)}`, headers, signal })
  if (one.as !== 'refusal' || one.status >= 500) return one.as === 'answer' ? null : toProbeFailure(one, url)
  const message = `${url} does not know the model "${model}"`
  return { ok: false, kind: 'bad_request', message, fix: suggestModel(model, known) }
}

/** What a refusal or a silence says against a run; null: nothing. `names`: the variables, for messages. */
export function toProbeFailure(
  answer: Exclude<ServerAnswer, { as: 'answer' }>,
  url: string,
  names = { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
): Failure | null {
  if (answer.as === 'silence') {
    const fix = `check the network, the proxy settings, ${names.address} and --base-url`
    return { ok: false, kind: 'unreachable', message: answer.message, fix }
  }
  const { kind, message } = answer
  if (kind !== 'credentials') return null // any other answer is left to the runs
  const fix = `check ${names.key}, and that it belongs to ${names.address} or --base-url if one is set`
  return { ok: false, kind, message: `${url} rejects the key: ${message}`, fix }
}
