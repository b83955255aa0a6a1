/** The Anthropic SDK as an API for the tool loop, for Anthropic's own server and for the clouds, with Whetstone's own retries. */
import Anthropic from '@anthropic-ai/sdk'
import { VERSION } from '@anthropic-ai/sdk/version'
import { UserError } from '../../base/errors/error.ts'
import { findCloud, openCloudClient, splitCloud } from '../clouds/table.ts'
import type { EngineError } from '../engine.ts'
import type { ModelApi } from '../tool_loop/session.ts'
import { type AnthropicCredentials, anthropicBaseUrl, hasAnthropicKey } from './address.ts'
import { AnthropicSession } from './session.ts'

/** The API of the cloud that the model's name chooses, or Anthropic's own. */
export function createAnthropicApi(model: string | null): ModelApi {
  const { cloud } = splitCloud(model)
  return {
    version: VERSION,
    provider: cloud ?? 'anthropic',
    missing(credentials) {
      if (cloud !== null) return credentialError(findCloud(cloud).findGap(credentials)?.message)
      const message = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set'
      return credentialError(hasAnthropicKey(credentials) ? undefined : message)
    },
    async open(task, offers, send) {
      try {
        const client =
          cloud === null
            ? openFirstPartyClient(task.credentials, send)
            : await openCloudClient(cloud, task.credentials, clientSettings(send))
        return new AnthropicSession(task, offers, client)
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        return { kind: 'missing_binary', message: error.message, retryable: false, retryAfterMs: null }
      }
    },
  }
}

function credentialError(message: string | undefined): EngineError | null {
  return message === undefined ? null : { kind: 'credentials', message, retryable: true, retryAfterMs: null }
}

/** Milliseconds; a longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

/** A client of Anthropic's own API, with keys and address from `credentials` alone; the API key is used before the token. */
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
