/** Finds the account whose limit an engine's requests count against, from its credentials and address. */
import type { AccountId } from '../../base/rate_limit_slot.ts'

import { findCloud, splitCloud } from '../clouds/table.ts'

type Credentials = Readonly<Record<string, string>>

/** The account on the cloud that the model's name chooses; null: it chooses none. */
function cloudAccount(credentials: Credentials, model: string | null): AccountId | null {
  const { cloud } = splitCloud(model)
  if (cloud === null) return null
  const { keys, server } = findCloud(cloud)
  const secret = keys.map((name) => credentials[name]).find(Boolean) ?? ''
  return { provider: cloud, baseUrl: server(credentials), secret }
}

/** The Anthropic account; the API key comes first, as in the requests. */
export function anthropicAccount(credentials: Credentials, model: string | null): AccountId {
  const own = cloudAccount(credentials, model)
  if (own !== null) return own
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, CLAUDE_CODE_OAUTH_TOKEN: login } = credentials
  return {
    provider: 'anthropic',
    baseUrl: credentials.ANTHROPIC_BASE_URL || 'https://api.anthropic.com',
    secret: key || token || login || '',
  }
}

export function openaiAccount(credentials: Credentials, model: string | null): AccountId {
  const own = cloudAccount(credentials, model)
  if (own !== null) return own
  const { CODEX_API_KEY: codexKey, OPENAI_API_KEY: key } = credentials
  return {
    provider: 'openai',
    baseUrl: credentials.OPENAI_BASE_URL || 'https://api.openai.com/v1',
    secret: codexKey || key || '',
  }
}

/** The account of an agent CLI that works with both. With both keys set, only the model says which is used, so both then share one limit. */
export function providerAccount(credentials: Credentials): AccountId {
  return credentials.ANTHROPIC_API_KEY ? anthropicAccount(credentials, null) : openaiAccount(credentials, null)
}
