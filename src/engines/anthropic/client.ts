/** The connection to the Anthropic API: the official SDK, with our own retries and nothing from the harness's environment. */
import Anthropic from '@anthropic-ai/sdk'

/** Milliseconds; a longer timer would ring at once. */
const longestTimer = 2 ** 31 - 1

type Credentials = Readonly<Record<string, string>>

/** Whether there is anything to sign requests with. */
export function hasKey(credentials: Credentials): boolean {
  return Boolean(credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN)
}

export function baseUrlOf(credentials: Credentials): string {
  return credentials.ANTHROPIC_BASE_URL || 'https://api.anthropic.com'
}

/**
 * A client that takes keys and address from `credentials` alone; the API key wins over the token. `keyHeader`: how the
 * API key is sent (gateways may know only the way of the program that they were set up for); `send`: what sends requests.
 */
export function openClient(
  credentials: Credentials,
  keyHeader: 'authorization' | 'x-api-key' = 'authorization',
  send: typeof fetch = fetch,
) {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  const usesOwnHeader = apiKey && keyHeader === 'x-api-key'
  return new Anthropic({
    ...(apiKey ? { apiKey } : { authToken: authToken ?? '' }),
    ...(usesOwnHeader ? { defaultHeaders: { 'x-api-key': apiKey, authorization: null } } : {}),
    baseURL: baseUrlOf(credentials),
    maxRetries: 0,
    // waits at the gate are none of its business, and a silent server is left by ours
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}
