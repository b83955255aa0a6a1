/** Refusals in the shape of Google's APIs. */
import type { RefusedRequest, WireRefusal } from './wire.ts'

const statuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const rpcType = (name: string) => `type.googleapis.com/google.rpc.${name}`

const badKey = {
  '@type': rpcType('ErrorInfo'),
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
}

/** Status and body. The API has no 529: an overload becomes 503. It refuses a bad key with 400. */
export function refuseGemini({ status: asked, message: said, retryAfter }: RefusedRequest): WireRefusal {
  if (asked === 401) return toRefusal(400, 'API key not valid. Please pass a valid API key.', [badKey])
  const status = asked === 529 ? 503 : asked
  const model = status === 404 ? /^model: (.+)$/.exec(said)?.[1] : undefined
  const message = model === undefined ? said : `models/${model} is not found for API version v1beta.`
  if (status !== 429 || typeof retryAfter !== 'number') return toRefusal(status, message, [])
  return toRefusal(status, message, [{ '@type': rpcType('RetryInfo'), retryDelay: `${retryAfter}s` }])
}

function toRefusal(code: number, message: string, details: readonly object[]): WireRefusal {
  const status = statuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
  return { status: code, body: { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } } }
}
