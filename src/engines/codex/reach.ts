/** Asks an OpenAI-compatible server, by a call that costs nothing, whether it is there and takes the key. */
import { messageOf } from '../../base/error.ts'
import { timeLimit } from '../../base/time_limit.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { unusableSetting } from '../settings.ts'
import { codexKeys, endpointOf } from './argv.ts'

const patienceMs = 15_000

type Failure = Extract<Probe, { ok: false }>

/** Null when nothing speaks against a run; a server may list no models. Rejects only when aborted. */
export async function reachFailure({ credentials, signal }: ProbeRequest): Promise<Failure | null> {
  const url = endpointOf(credentials)
  const address = { name: 'OPENAI_BASE_URL', url }
  const unusable = unusableSetting({ credentials, keys: codexKeys, address })
  if (unusable !== null) return unusable
  const name = codexKeys.find((one) => credentials[one]) ?? 'OPENAI_API_KEY'
  const key = (credentials[name] ?? '').trim()
  using limit = timeLimit(patienceMs, [signal])
  try {
    const answer = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` }, signal: limit.signal })
    await answer.body?.cancel()
    if (answer.status !== 401 && answer.status !== 403) return null
    const fix = `check ${name}, and that it belongs to OPENAI_BASE_URL if that is set`
    return { ok: false, kind: 'credentials', message: `${url} refuses the key (status ${answer.status})`, fix }
  } catch (error) {
    signal.throwIfAborted()
    // fetch itself says only that it failed
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    const message = `${url} gave no answer: ${messageOf(reason)}`
    return { ok: false, kind: 'unreachable', message, fix: 'check the network, the proxy settings and OPENAI_BASE_URL' }
  }
}
