/** Refusals in the shape of the OpenAI APIs. */
import type { RefusedRequest, WireRefusal } from './wire.ts'

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
}

const types: Readonly<Record<number, string>> = { 429: 'requests', 503: 'service_unavailable_error' }

/** Status and body; only Anthropic has 529, so an overload becomes 503. */
export function refuseOpenai({ status: asked, message: said }: RefusedRequest): { status: number; body: unknown } {
  const status = asked === 529 ? 503 : asked
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  const model = status === 404 ? /^model: (.+)$/.exec(said)?.[1] : undefined
  const message = model === undefined ? said : `The model \`${model}\` does not exist or you do not have access to it.`
  const code = model === undefined ? (codes[status] ?? null) : 'model_not_found'
  return { status, body: { error: { message, type, param: null, code } } }
}

export const contextCode = 'context_length_exceeded'

/** The refusal of a conversation that exceeds the model's context. */
export function contextRefusal(message: string, param: string): WireRefusal {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code: contextCode } } }
}
