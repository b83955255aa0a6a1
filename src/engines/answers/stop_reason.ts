/** Why a model's last response ended, in the same words for all engines. */

/** By the words of Chat Completions, the AI SDK, the Gemini API and the agent CLIs. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  'tool-calls': 'tool_use',
  toolUse: 'tool_use',
  length: 'max_tokens',
  model_length: 'max_tokens', // Mistral
  content_filter: 'refusal',
  'content-filter': 'refusal',
  safety: 'refusal',
  prohibited_content: 'refusal',
}

/** Ends that are not the end of a turn: the agent was cut short, refused, or was stopped. */
const cutShort = new Set(['max_tokens', 'max_turns', 'context_window', 'refusal', 'hook', 'error_max_turns'])

/** Whether the agent ended its turn by itself, so that the user may go on. */
export function endsTurn(stopReason: string | null): boolean {
  return stopReason === null || !cutShort.has(stopReason)
}

/** In the words of the Anthropic API; any other word is kept. */
export function toStopReason(reason: string): string
export function toStopReason(reason: string | null): string | null
export function toStopReason(reason: string | null): string | null {
  return reason === null ? null : (stopReasons[reason] ?? reason)
}
