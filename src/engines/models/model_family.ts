/** Who stands behind the model that an engine uses: its family, since judges favour answers of their own, and its provider. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { findCloud, splitCloud } from '../clouds/table.ts'
import { findEngine, isEngineName, listEngineNames } from '../table.ts'
import { guessProvider, isProvider } from './providers.ts'

/** The patterns of the families' model ids. */
const families: Readonly<Record<string, RegExp>> = {
  anthropic: /^(?:claude|sonnet|opus|haiku|fable)\b/,
  openai: /^(?:gpt|o\d|chatgpt|codex)\b/,
  google: /^(?:gemini|gemma)\b/,
  meta: /^llama/,
  mistral: /^(?:mi[sx]tral|codestral|devstral|magistral)/,
  qwen: /^qw[eq]/,
  deepseek: /^deepseek/,
  xai: /^grok/,
}

type AskedModel = Pick<EngineChoice, 'name' | 'model'>

/** As its engine says (`Engine.provider`); null: it does not, or there is no such engine. */
export function findEngineProvider(name: string): string | null {
  return (isEngineName(name) && findEngine(name).provider) || null
}

/** The family by the model's id (after the names of a cloud and a provider), or by the engine if no model is named; null: unknown. */
export function modelFamily({ name, model }: AskedModel): string | null {
  const full = splitCloud(model).model ?? ''
  // on Bedrock: us.anthropic.claude-…
  const id = full
    .slice(full.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '')
  const own = findEngineProvider(name)
  const isOf = (family: string) => (model === null ? family === own : families[family]?.test(id))
  return Object.keys(families).find(isOf) ?? null
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

/** The engine that judges with a model that is named alone, by the model's provider or its id; null: unknown. */
export function guessJudgeEngine(model: string): string | null {
  const judges = (name: string) => findEngine(name).judgeModels?.test(model)
  return guessProvider(model) ?? listEngineNames().find(judges) ?? null
}

/** The provider that serves an engine's model, by the engine, else by the provider or the id in the model's name; null: unknown. */
export function findServingProvider({ name, model }: AskedModel): string | null {
  const { cloud } = splitCloud(model)
  if (cloud !== null && findCloud(cloud).engines.includes(name)) return cloud
  const own = findEngineProvider(name)
  if (own !== null && isProvider(own)) return own
  if (name === 'command' || model === null) return null
  const [before = '', ...id] = model.split('/')
  return id.length > 0 && isProvider(before) ? before : guessProvider(model)
}
