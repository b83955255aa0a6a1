/** The kind of a failure, by the text of an error or the status of an answer. */
import type { FailureKind } from '../../../schemas/run.ts'

const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/\b429\b|rate.?limit|too many requests/i, 'rate_limited'],
  [/\b(529|503)\b|overloaded/i, 'overloaded'],
  [/closed unexpectedly|terminated|unexpected EOF|reading a body/i, 'server_error'], // it had been established before
  [/connect|ECONN|ENOTFOUND|network|socket|fetch failed/i, 'unreachable'],
  [/\b40[13]\b|api key|unauthori[sz]ed|authentication/i, 'credentials'],
  [/model not found|ModelNotFound|\b(400|404|413|422)\b/i, 'bad_request'],
]

export function classifyErrorText(text: string): FailureKind {
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'server_error'
}

/** The stop reason of an agent that has filled its context. */
export const contextFull = 'context_window'

const phrases = [
  /prompt is too long/i, // Anthropic, Claude Code
  /exceeds? (?:the |its )?(?:model's )?(?:maximum )?context/i, // Anthropic with max_tokens, OpenAI (Responses), llama.cpp
  /maximum context length/i, // OpenAI (Chat Completions), vLLM
  /context_length_exceeded/i, // OpenAI's code
  /ran out of room in the model's context window/i, // Codex
  /context exceeds model limit/i, // opencode over ACP
  /rejected the prompt as too long/i, // Copilot
  /input is too long/i, // Amazon Bedrock
  /exceeds the maximum number of tokens/i, // Gemini
  /request_too_large|request (?:entity )?too large|exceeds the maximum size/i, // status 413
]

export function saysContextFull(message: string): boolean {
  return phrases.some((phrase) => phrase.test(message))
}

/** The failure kind of a status of 400 or above. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 429) return 'rate_limited'
  if (status === 529) return 'overloaded'
  return status >= 500 || status === 408 || status === 409 ? 'server_error' : 'bad_request'
}

/** Whether the same task may succeed later. */
export function isRetryableKind(kind: FailureKind): boolean {
  return kind !== 'bad_request' && kind !== 'missing_binary' && kind !== 'setup'
}
