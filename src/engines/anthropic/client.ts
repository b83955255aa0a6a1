/** The connection to the Anthropic API: the official SDK, with our own retries and nothing from the harness's environment. */
import Anthropic from '@anthropic-ai/sdk'
import { baseUrlOf, type Credentials } from './address.ts'

/** Milliseconds; a longer timer would ring at once. */
const longestTimer = 2 ** 31 - 1

/** A client that takes keys and address from `credentials` alone; the API key wins over the token. `send` sends its requests. */
export function openClient(credentials: Credentials, send: typeof fetch) {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  return new Anthropic({
    ...(apiKey ? { apiKey: apiKey.trim() } : { authToken: (authToken ?? '').trim() }),
    baseURL: baseUrlOf(credentials),
    maxRetries: 0,
    // waits at the gate are none of its business, and a silent server is left by ours
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}
