/** The connection to the OpenAI API: the official SDK, with our own retries and nothing from the harness's environment. */
import OpenAI from 'openai'

/** Milliseconds; a longer timer would ring at once. */
const longestTimer = 2 ** 31 - 1

type Credentials = Readonly<Record<string, string>>

const ownUrl = 'https://api.openai.com/v1'

export function baseUrlOf(credentials: Credentials): string {
  return credentials.OPENAI_BASE_URL || ownUrl
}

/** Whether OpenAI itself answers there, and no compatible server. */
export function isOwnServer(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === new URL(ownUrl).hostname
}

/** A client that takes key and address from `credentials` alone; `send`: what sends requests. */
export function openClient(credentials: Credentials, send: typeof fetch = fetch): OpenAI {
  return new OpenAI({
    apiKey: credentials.OPENAI_API_KEY ?? '',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrlOf(credentials),
    maxRetries: 0,
    // waits at the gate are none of its business, and a silent server is left by ours
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off',
  })
}
