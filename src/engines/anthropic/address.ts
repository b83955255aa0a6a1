/** Where the Anthropic API is and how a request is signed, from `credentials` alone. */

export type Credentials = Readonly<Record<string, string>>

/** How the API key is sent: gateways may know only the way of the program that they were set up for. */
export type KeyHeader = 'authorization' | 'x-api-key'

/** Whether there is anything to sign requests with. */
export function hasKey(credentials: Credentials): boolean {
  return Boolean(credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN)
}

export function baseUrlOf(credentials: Credentials): string {
  return credentials.ANTHROPIC_BASE_URL || 'https://api.anthropic.com'
}

/** The header that signs a request; the API key wins over the token. */
export function keyHeaders(credentials: Credentials, by: KeyHeader): Record<string, string> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  if (apiKey && by === 'x-api-key') return { 'x-api-key': apiKey.trim() }
  return { authorization: `Bearer ${(apiKey || authToken || '').trim()}` }
}
