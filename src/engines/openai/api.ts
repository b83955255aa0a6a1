/** The OpenAI SDK as an API for the tool loop. */
import { VERSION } from 'openai/version'
import type { ModelApi } from '../tool_loop/session.ts'
import { OpenaiSession } from './session.ts'

export const openaiApi: ModelApi = {
  version: VERSION,
  provider: 'openai',
  missing({ OPENAI_API_KEY: key }) {
    if (key) return null
    return { kind: 'credentials', message: 'OPENAI_API_KEY is not set', retryable: true, retryAfterMs: null }
  },
  open: (task, offers, send) => new OpenaiSession(task, offers, send),
}
