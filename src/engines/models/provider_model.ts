/** Chooses provider and model of an agent CLI that works with several, from the requested model and the keys that are set. Pure. */
import type { ProbeFailure } from '../cli/agent_cli.ts'
import type { KeyedServer } from '../cli/key_placeholders.ts'
import type { EngineTask, PricedModel, ProbeRequest } from '../engine.ts'
import { isPriced } from './cost.ts'
import { anthropicModel, guessProvider, isProvider, openaiModel } from './providers.ts'
import { chatRequests, messagesRequests, responsesRequests } from './wire_requests.ts'

export const providerKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL']

export interface ProviderModel {
  provider: 'anthropic' | 'openai'
  id: string
}

type Credentials = EngineTask['credentials']

/** Takes `provider/model`, a model alone, or null: the default of the provider whose key is set. `engine`: its name, for messages. */
export function chooseProviderModel(
  engine: string,
  model: string | null,
  credentials: Credentials,
): ProviderModel | { mistake: string } {
  const slash = model?.indexOf('/') ?? -1
  const named = model === null || slash < 0 ? null : model.slice(0, slash)
  if (named !== null && !isProvider(named)) {
    return {
      mistake: `${engine}: unsupported provider ${named} of ${model}; Whetstone passes keys for anthropic and openai`,
    }
  }
  const rest = model === null || slash < 0 ? model : model.slice(slash + 1)
  const provider = named ?? guessProvider(rest ?? '') ?? firstWithKey(credentials)
  return { provider, id: provider === 'anthropic' ? anthropicModel(rest) : openaiModel(rest) }
}

/** Anthropic, unless only OpenAI's key is set. */
function firstWithKey({ ANTHROPIC_API_KEY: one, OPENAI_API_KEY: other }: Credentials): ProviderModel['provider'] {
  return one || !other ? 'anthropic' : 'openai'
}

export function providerKeyName({ provider }: ProviderModel): string {
  return provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
}

export function providerServer(model: ProviderModel, credentials: Credentials): KeyedServer {
  const { provider } = model
  const [address, usual, requests] =
    provider === 'anthropic'
      ? ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com', messagesRequests]
      : ['OPENAI_BASE_URL', 'https://api.openai.com/v1', [...responsesRequests, ...chatRequests]]
  const url = (credentials[address] || usual).replace(/\/+$/, '')
  return { address, url, keys: [providerKeyName(model)], requests, provider }
}

/** The server of the task's model; null: there is no such provider. */
export function chooseProviderServer(
  engine: string,
  { model, credentials }: Pick<EngineTask, 'model' | 'credentials'>,
): KeyedServer | null {
  const chosen = chooseProviderModel(engine, model, credentials)
  return 'mistake' in chosen ? null : providerServer(chosen, credentials)
}

/** What runs of an agent CLI report that counts its tokens; its cost is known if the model's price is. */
export async function reportsOfProvider(
  engine: string,
  name: string | null,
): Promise<{ cost: boolean; tokens: boolean; priced?: PricedModel }> {
  const model = chooseProviderModel(engine, name, {})
  if ('mistake' in model) return { cost: false, tokens: true }
  const priced = { model: model.id, provider: model.provider }
  return { cost: await isPriced(priced), tokens: true, priced }
}

/** Why a probe fails: the key of the model's provider is not set; null: it is. */
export function missingProviderKey(
  engine: string,
  model: ProviderModel,
  { credentials }: Pick<ProbeRequest, 'credentials'>,
): ProbeFailure | null {
  const key = providerKeyName(model)
  if (credentials[key]) return null
  const message = `${engine} has no key for ${model.provider}/${model.id}: ${key} is unset`
  return { ok: false, kind: 'credentials', message, fix: `export ${key}=…, or name a model of the other provider` }
}
