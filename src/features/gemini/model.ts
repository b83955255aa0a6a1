/** Gemini's models, key and server. Pure. */
import type { AccountId } from '../../base/rate_limit_slot.ts'
import type { KeyedServer } from '../../engines/cli/key_placeholders.ts'
import type { EngineTask } from '../../engines/engine.ts'

type Credentials = EngineTask['credentials']

export const geminiKeys = ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL']

export const geminiProvider = 'google'

const geminiRequests: KeyedServer['requests'] = [
  'POST /v1beta/models/:model:generateContent',
  'POST /v1beta/models/:model:streamGenerateContent',
  'POST /v1beta/models/:model:countTokens',
  'GET /v1beta/models',
  'GET /v1beta/models/:model',
]

/** The CLI's own short names; which model it chooses for one depends on the account, so they are resolved here. */
export const geminiAliases: Readonly<Record<string, string>> = {
  pro: 'gemini-2.5-pro',
  flash: 'gemini-2.5-flash',
  'flash-lite': 'gemini-2.5-flash-lite',
}

/** The model id for the Gemini API; null is the default. By default the CLI would choose a model for each request. */
export function geminiModel(model: string | null): string {
  const id = (model ?? 'pro').replace(/^(?:google\/|models\/)/, '')
  return Object.hasOwn(geminiAliases, id) ? (geminiAliases[id] ?? id) : id
}

export function geminiServer(credentials: Credentials): KeyedServer {
  const url = credentials.GOOGLE_GEMINI_BASE_URL || 'https://generativelanguage.googleapis.com'
  return {
    address: 'GOOGLE_GEMINI_BASE_URL',
    url: url.replace(/\/+$/, ''),
    keys: ['GEMINI_API_KEY'],
    requests: geminiRequests,
    provider: geminiProvider,
  }
}

export function geminiAccount(credentials: Credentials): AccountId {
  return {
    provider: geminiProvider,
    baseUrl: geminiServer(credentials).url,
    secret: credentials.GEMINI_API_KEY ?? '',
  }
}
