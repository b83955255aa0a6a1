/** The address of the OpenAI API, from `credentials` alone. */

export type OpenaiCredentials = Readonly<Record<string, string>>

const ownUrl = 'https://api.openai.com/v1'

export function openaiBaseUrl(credentials: OpenaiCredentials): string {
  return credentials.OPENAI_BASE_URL || ownUrl
}

/** Whether the address is OpenAI's own server, not a compatible one. */
export function isOwnServer(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === new URL(ownUrl).hostname
}
