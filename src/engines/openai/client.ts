/** The connection to the OpenAI API: the official SDK, with Whetstone's own retries and nothing from the harness's environment. */
import OpenAI, { AzureOpenAI, type ClientOptions } from 'openai'
import { tryParseJson } from '../../base/json/json.ts'
import { findCloud, splitCloud } from '../clouds/table.ts'
import { type OpenaiCredentials, openaiBaseUrl } from './address.ts'

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** A client with key and address from `credentials` alone, of the cloud that the model's name chooses. `send` sends its requests. */
export function openOpenaiClient(
  { credentials, model }: { credentials: OpenaiCredentials; model: string | null },
  send: typeof fetch,
): OpenAI {
  const settings = {
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // the SDK must not time out while a request waits in the rate limiter; `send` itself gives up a silent server
    timeout: longestTimer,
    fetch: withNamedErrors(send),
    logLevel: 'off' as const,
  }
  const { cloud } = splitCloud(model)
  if (cloud !== null) return openOpenaiCloudClient(cloud, credentials, settings)
  const apiKey = (credentials.OPENAI_API_KEY ?? '').trim()
  return new OpenAI({ ...settings, apiKey, baseURL: openaiBaseUrl(credentials) })
}

/** A client with key and address from `credentials` alone. */
function openOpenaiCloudClient(
  cloud: string,
  credentials: OpenaiCredentials,
  settings: Omit<ClientOptions, 'apiKey' | 'baseURL' | 'provider'>,
): OpenAI {
  const { keys, server, versionVariable } = findCloud(cloud)
  const apiKey = (keys.map((name) => credentials[name]).find(Boolean) ?? '').trim()
  const baseURL = server(credentials)
  const apiVersion = versionVariable && credentials[versionVariable]
  if (apiVersion !== undefined) return new AzureOpenAI({ ...settings, apiKey, apiVersion, baseURL })
  return new OpenAI({ ...settings, apiKey, baseURL })
}

/** `send`, whose refusals all have an `error`: FastAPI's servers call it `detail`, older ones of vLLM and llama.cpp have it at the top. */
function withNamedErrors(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    return response.ok || !isJson(response) ? response : new Response(nameError(await response.text()), response)
  }
}

function isJson({ headers }: Response): boolean {
  return /\bjson\b/.test(headers.get('content-type') ?? '')
}

function nameError(text: string): string {
  const body = tryParseJson(text)
  if (typeof body !== 'object' || body === null || 'error' in body) return text
  if ('message' in body) return JSON.stringify({ error: body })
  const detail = 'detail' in body ? body.detail : body
  return JSON.stringify({ error: { message: typeof detail === 'string' ? detail : JSON.stringify(detail) } })
}
