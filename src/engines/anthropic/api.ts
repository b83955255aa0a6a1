/** The Anthropic SDK as an API of the tool loop. */
import { VERSION } from '@anthropic-ai/sdk/version'
import type { Api } from '../tool_loop/session.ts'
import { hasKey } from './address.ts'
import { AnthropicSession } from './session.ts'

export const anthropicApi: Api = {
  version: VERSION,
  provider: 'anthropic',
  missing(credentials) {
    if (hasKey(credentials)) return null
    const message = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set'
    return { kind: 'credentials', message, retryable: false, retryAfterMs: null }
  },
  open: (task, offers, send) => new AnthropicSession(task, offers, send),
}
