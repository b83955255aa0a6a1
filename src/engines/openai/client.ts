/** The connection to the OpenAI API: the official SDK, with Whetstone's own retries and nothing from the harness's environment. */
import OpenAI from 'openai'
import { type OpenaiCredentials, openaiBaseUrl } from './address.ts'

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** A client with key and address from `credentials` alone. `send` sends its requests. */
export function openOpenaiClient(credentials: OpenaiCredentials, send: typeof fetch): OpenAI {
  return new OpenAI({
    apiKey: (credentials.OPENAI_API_KEY ?? '').trim(),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: openaiBaseUrl(credentials),
    maxRetries: 0,
    // the SDK must not time out while a request waits in the rate limiter; `send` itself gives up a silent server
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}
