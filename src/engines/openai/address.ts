/** Where the OpenAI API is, from `credentials` alone. */

export type Credentials = Readonly<Record<string, string>>

const ownUrl = 'https://api.openai.com/v1'

export function baseUrlOf(credentials: Credentials): string {
  return credentials.OPENAI_BASE_URL || ownUrl
}

/** Whether OpenAI itself answers there, and no compatible server. */
export function isOwnServer(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === new URL(ownUrl).hostname
}
