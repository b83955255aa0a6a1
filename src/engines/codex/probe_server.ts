/** Asks an OpenAI-compatible server, by a call that costs nothing, whether it answers and accepts the key. */
import { errorMessage } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { codexEndpoint, codexKeys } from './argv.ts'

const reachTimeoutMs = 15_000

type Failure = Extract<Probe, { ok: false }>

/** Null if nothing speaks against a run; the server need not list models. Rejects only when aborted. */
export async function probeCodexServer({ credentials, signal }: ProbeRequest): Promise<Failure | null> {
  const url = codexEndpoint(credentials)
  const address = { name: 'OPENAI_BASE_URL', url }
  const unusable = findUnusableSetting({ credentials, keys: codexKeys, address })
  if (unusable !== null) return unusable
  const name = codexKeys.find((one) => credentials[one]) ?? 'OPENAI_API_KEY'
  const key = (credentials[name] ?? '').trim()
  using limit = startTimeLimit(reachTimeoutMs, [signal])
  try {
    const answer = await fetchByProxy(`${url}/models`, {
      headers: { authorization: `Bearer ${key}` },
      signal: limit.signal,
    })
    await answer.body?.cancel()
    if (answer.status !== 401 && answer.status !== 403) return null
    const fix = `check ${name}, and that it belongs to OPENAI_BASE_URL if that is set`
    return { ok: false, kind: 'credentials', message: `${url} rejects the key (status ${answer.status})`, fix }
  } catch (error) {
    signal.throwIfAborted()
    // the message of fetch itself says only that it failed
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    const message = `${url} did not answer: ${errorMessage(reason)}`
    return { ok: false, kind: 'unreachable', message, fix: 'check the network, the proxy settings and OPENAI_BASE_URL' }
  }
}
