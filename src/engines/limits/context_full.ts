/** Recognises the messages in which providers and agent CLIs say that a conversation no longer fits into the model's context. */

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

/** Whether an error message says that the context is full. */
export function saysContextFull(message: string): boolean {
  return phrases.some((phrase) => phrase.test(message))
}
