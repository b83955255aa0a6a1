/** The OpenAI SDK as an API of the tool loop. */
import { VERSION } from 'openai/version'
import type { Api } from '../tool_loop/session.ts'
import { OpenaiSession } from './session.ts'

export const openaiApi: Api = {
  version: VERSION,
  provider: 'openai',
  missing({ OPENAI_API_KEY: key }) {
    if (key) return null
    return { kind: 'credentials', message: 'OPENAI_API_KEY is not set', retryable: false, retryAfterMs: null }
  },
  open: (task, offers, send) => new OpenaiSession(task, offers, send),
}
