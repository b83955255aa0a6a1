/** The Anthropic SDK as an API for the tool loop. */
import { VERSION } from '@anthropic-ai/sdk/version'
import type { ModelApi } from '../tool_loop/session.ts'
import { hasAnthropicKey } from './address.ts'
import { AnthropicSession } from './session.ts'

export const anthropicApi: ModelApi = {
  version: VERSION,
  provider: 'anthropic',
  missing(credentials) {
    if (hasAnthropicKey(credentials)) return null
    const message = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set'
    return { kind: 'credentials', message, retryable: true, retryAfterMs: null }
  },
  open: (task, offers, send) => new AnthropicSession(task, offers, send),
}
