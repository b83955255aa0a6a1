/** How the credential proxy refuses a request. */
import type { ServerResponse } from 'node:http'
import type { AllowedRequest } from './allowed_requests.ts'

interface Refusal {
  status: 401 | 403
  type: string
  /** Gemini's word for it. */
  word: string
  message: string
}

export const withoutKey: Refusal = {
  status: 401,
  type: 'authentication_error',
  word: 'UNAUTHENTICATED',
  message: 'this request does not carry the key that Whetstone gave to this run',
}

export function refusalOfOthers(allowed: readonly AllowedRequest[]): Refusal {
  const message = `Whetstone's credential proxy forwards only what the agent of this run needs: ${allowed.join(', ')}`
  return { status: 403, type: 'permission_error', word: 'PERMISSION_DENIED', message }
}

/** In a form that Anthropic, OpenAI and Gemini share. */
export function refuse(response: ServerResponse, { status, type, word, message }: Refusal): void {
  const body = JSON.stringify({ type: 'error', error: { type, code: status, status: word, message } })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(status, headers).end(body)
}
