/** Whose model an engine asks: judges favour answers of their own family. */
import type { EngineChoice } from '../../schemas/plan.ts'

/** What the ids of a family's models look like, and the engines that ask it where no model is named. */
const families: Readonly<Record<string, { ids: RegExp; engines: readonly string[] }>> = {
  anthropic: { ids: /^(?:claude|sonnet|opus|haiku)\b/, engines: ['anthropic', 'claude-code'] },
  openai: { ids: /^(?:gpt|o\d|chatgpt|codex)\b/, engines: ['openai', 'codex'] },
  google: { ids: /^(?:gemini|gemma)\b/, engines: [] },
  meta: { ids: /^llama/, engines: [] },
  mistral: { ids: /^(?:mi[sx]tral|codestral|devstral|magistral)/, engines: [] },
  qwen: { ids: /^qw[eq]/, engines: [] },
  deepseek: { ids: /^deepseek/, engines: [] },
  xai: { ids: /^grok/, engines: [] },
}

type Asked = Pick<EngineChoice, 'name' | 'model'>

/** By the model's id (behind a provider's name), else by the engine; null: it may be anyone's. */
export function familyOf({ name, model }: Asked): string | null {
  const id = (model ?? '').slice((model ?? '').lastIndexOf('/') + 1).toLowerCase()
  const found = Object.entries(families).find(([, { ids, engines }]) =>
    model === null ? engines.includes(name) : ids.test(id),
  )
  return found?.[0] ?? null
}

/** The practice model decides by rules: it favours nobody. */
const practice = /^practice\b/

/** The family that both are of; the model where both ask the same; null: they differ, or nobody knows. */
export function sharedFamily(one: Asked, other: Asked): string | null {
  const family = familyOf(one)
  if (family !== null) return family === familyOf(other) ? family : null
  const isSame = one.model !== null && one.model === other.model && !practice.test(one.model)
  return isSame ? one.model : null
}
