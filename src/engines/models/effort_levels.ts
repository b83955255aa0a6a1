/** The levels of effort that the providers' APIs have. Which of them a model accepts is up to the server. */

export const anthropicEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export const openaiEfforts = ['none', 'minimal', ...anthropicEfforts] as const

export type AnthropicEffort = (typeof anthropicEfforts)[number]
export type OpenaiEffort = (typeof openaiEfforts)[number]

/** A task's level as the Messages API takes it; null: none was asked for. */
export function anthropicEffort(effort: string | undefined): AnthropicEffort | null {
  return anthropicEfforts.find((one) => one === effort) ?? null
}

/** A task's level as OpenAI's APIs take it; null: none was asked for. */
export function openaiEffort(effort: string | undefined): OpenaiEffort | null {
  return openaiEfforts.find((one) => one === effort) ?? null
}
