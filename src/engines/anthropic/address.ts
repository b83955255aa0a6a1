/** The address of the Anthropic API and the header that signs a request, from `credentials` alone. */

export type AnthropicCredentials = Readonly<Record<string, string>>

/** The header with the API key: a gateway may accept only the header of the program that it was set up for. */
export type KeyHeader = 'authorization' | 'x-api-key'

/** Whether there is anything to sign requests with. */
export function hasAnthropicKey(credentials: AnthropicCredentials): boolean {
  return Boolean(credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN)
}

export function anthropicBaseUrl(credentials: AnthropicCredentials): string {
  return credentials.ANTHROPIC_BASE_URL || 'https://api.anthropic.com'
}

/** The header that signs a request; the API key is used before the token. */
export function keyHeaders(credentials: AnthropicCredentials, by: KeyHeader): Record<string, string> {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  if (apiKey && by === 'x-api-key') return { 'x-api-key': apiKey.trim() }
  return { authorization: `Bearer ${(apiKey || authToken || '').trim()}` }
}
