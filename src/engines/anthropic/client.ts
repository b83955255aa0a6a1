/** The connection to the Anthropic API: the official SDK, with Whetstone's own retries and nothing from the harness's environment. */
import Anthropic from '@anthropic-ai/sdk'
import { type AnthropicCredentials, anthropicBaseUrl } from './address.ts'

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** A client with keys and address from `credentials` alone; the API key is used before the token. `send` sends its requests. */
export function openAnthropicClient(credentials: AnthropicCredentials, send: typeof fetch) {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  return new Anthropic({
    ...(apiKey ? { apiKey: apiKey.trim() } : { authToken: (authToken ?? '').trim() }),
    baseURL: anthropicBaseUrl(credentials),
    maxRetries: 0,
    // the SDK must not time out while a request waits in the rate limiter; `send` itself gives up a silent server
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}
