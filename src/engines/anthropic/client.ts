/** The connection to the Anthropic API: the official SDK, with Whetstone's own retries and nothing from the harness's environment. */
import Anthropic from '@anthropic-ai/sdk'
import type { CloudName } from '../clouds/table.ts'
import { type AnthropicCredentials, anthropicBaseUrl } from './address.ts'
import { type MessagesClient, openCloudClient } from './cloud_client.ts'

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

export interface ClientRequest {
  credentials: AnthropicCredentials
  /** null: the API of Anthropic itself. */
  cloud: CloudName | null
  /** Sends the requests. */
  send: typeof fetch
}

/**
 * A client with keys and address from `credentials` alone; the API key is used before the token. Throws UserError if the package of a
 * cloud is not installed.
 */
export async function openAnthropicClient({ credentials, cloud, send }: ClientRequest): Promise<MessagesClient> {
  if (cloud !== null) return openCloudClient(cloud, credentials, clientSettings(send))
  return openFirstPartyClient(credentials, send)
}

/** The client of Anthropic's own API. */
export function openFirstPartyClient(credentials: AnthropicCredentials, send: typeof fetch): Anthropic {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = credentials
  const keys = apiKey ? { apiKey: apiKey.trim() } : { authToken: (authToken ?? '').trim() }
  return new Anthropic({ ...clientSettings(send), ...keys, baseURL: anthropicBaseUrl(credentials) })
}

function clientSettings(send: typeof fetch) {
  return {
    maxRetries: 0,
    // the SDK must not time out while a request waits in the rate limiter; `send` itself gives up a silent server
    timeout: longestTimer,
    fetch: send,
    logLevel: 'off' as const,
  }
}
