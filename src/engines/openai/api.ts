/** The OpenAI SDK as an API for the tool loop, for OpenAI's own server and compatible ones, and for the clouds. */
import { VERSION } from 'openai/version'
import { findCloud, splitCloud } from '../clouds/table.ts'
import type { ModelApi } from '../tool_loop/session.ts'
import { OpenaiSession } from './session.ts'

/** The API of the cloud that the model's name chooses, or OpenAI's own. */
export function createOpenaiApi(model: string | null): ModelApi {
  const { cloud } = splitCloud(model)
  return {
    version: VERSION,
    provider: cloud ?? 'openai',
    missing(credentials) {
      const gap = cloud === null ? null : findCloud(cloud).findGap(credentials)?.message
      const message = cloud === null && !credentials.OPENAI_API_KEY ? 'OPENAI_API_KEY is not set' : gap
      return message == null ? null : { kind: 'credentials', message, retryable: true, retryAfterMs: null }
    },
    open: async (task, offers, send) => new OpenaiSession(task, offers, send),
  }
}
