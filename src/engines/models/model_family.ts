/** The family of the model that an engine uses: judges favour answers of their own family. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { splitCloud } from '../clouds/table.ts'

/** The pattern of a family's model ids, and the engines that use the family when no model is named. */
const families: Readonly<Record<string, { ids: RegExp; engines: readonly string[] }>> = {
  anthropic: { ids: /^(?:claude|sonnet|opus|haiku|fable)\b/, engines: ['anthropic', 'claude-code'] },
  openai: { ids: /^(?:gpt|o\d|chatgpt|codex)\b/, engines: ['openai', 'codex'] },
  google: { ids: /^(?:gemini|gemma)\b/, engines: ['gemini'] },
  meta: { ids: /^llama/, engines: [] },
  mistral: { ids: /^(?:mi[sx]tral|codestral|devstral|magistral)/, engines: [] },
  qwen: { ids: /^qw[eq]/, engines: [] },
  deepseek: { ids: /^deepseek/, engines: [] },
  xai: { ids: /^grok/, engines: [] },
}

type AskedModel = Pick<EngineChoice, 'name' | 'model'>

/** The family by the model's id (after the names of a cloud and a provider), or by the engine if no model is named; null: unknown. */
export function modelFamily({ name, model }: AskedModel): string | null {
  const full = splitCloud(model).model ?? ''
  // on Bedrock: us.anthropic.claude-…
  const id = full
    .slice(full.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '')
  const found = Object.entries(families).find(([, { ids, engines }]) =>
    model === null ? engines.includes(name) : ids.test(id),
  )
  return found?.[0] ?? null
}

/** The practice model decides by rules, so it favours nobody. */
const practice = /^practice\b/

/** The family of both; the model's name if both use the same model of unknown family; null: they differ, or it is unknown. */
export function sharedFamily(one: AskedModel, other: AskedModel): string | null {
  const family = modelFamily(one)
  if (family !== null) return family === modelFamily(other) ? family : null
  const isSame = one.model !== null && one.model === other.model && !practice.test(one.model)
  return isSame ? one.model : null
}
