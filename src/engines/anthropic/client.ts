/** The connection to the Anthropic API: the official SDK, with our own retries and nothing from the harness's environment. */
import Anthropic from '@anthropic-ai/sdk'

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
 * API key is sent (gateways may know only the way of the program that they were set up for).
 */
export function openClient(credentials: Credentials, keyHeader: 'authorization' | 'x-api-key' = 'authorization') {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  const usesOwnHeader = apiKey && keyHeader === 'x-api-key'
  return new Anthropic({
    ...(apiKey ? { apiKey } : { authToken: authToken ?? '' }),
    ...(usesOwnHeader ? { defaultHeaders: { 'x-api-key': apiKey, authorization: null } } : {}),
    baseURL: baseUrlOf(credentials),
    maxRetries: 0,
    logLevel: 'off',
  })
}
