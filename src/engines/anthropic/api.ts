/** The Anthropic SDK as an API for the tool loop, for Anthropic's own server and for the clouds. */
import { VERSION } from '@anthropic-ai/sdk/version'
import { UserError } from '../../base/errors/error.ts'
import { findCloud, splitCloud } from '../clouds/table.ts'
import type { EngineError } from '../engine.ts'
import type { ModelApi } from '../tool_loop/session.ts'
import { hasAnthropicKey } from './address.ts'
import { openAnthropicClient } from './client.ts'
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
        const client = await openAnthropicClient({ credentials: task.credentials, cloud, send })
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
