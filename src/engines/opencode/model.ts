/** Which provider and model opencode works with, from the model that is asked for and the keys that are there. Pure. */
import type { EngineTask } from '../engine.ts'
import { anthropicModel, isProvider, openaiModel, providerOf } from '../providers.ts'

export const opencodeKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL']

export interface OpencodeModel {
  provider: 'anthropic' | 'openai'
  id: string
}

type Credentials = EngineTask['credentials']

/** `provider/model` as opencode writes it, a model alone, or null: the default of the provider whose key is there. */
export function opencodeModel(model: string | null, credentials: Credentials): OpencodeModel | { mistake: string } {
  const slash = model?.indexOf('/') ?? -1
  const named = model === null || slash < 0 ? null : model.slice(0, slash)
  if (named !== null && !isProvider(named)) {
    return {
      mistake: `opencode: the provider ${named} of ${model} is not one that Whetstone hands a key to: anthropic, openai`,
    }
  }
  const rest = model === null || slash < 0 ? model : model.slice(slash + 1)
  const provider = named ?? providerOf(rest ?? '') ?? (credentials.ANTHROPIC_API_KEY ? 'anthropic' : 'openai')
  return { provider, id: provider === 'anthropic' ? anthropicModel(rest) : openaiModel(rest) }
}

/** The name of the key that this provider takes. */
export function keyOf({ provider }: OpencodeModel): string {
  return provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
}

/** The address below which it sends its requests; Anthropic's variable has no /v1, OpenAI's has. */
export function baseUrlOf({ provider }: OpencodeModel, credentials: Credentials): string {
  const given = provider === 'anthropic' ? credentials.ANTHROPIC_BASE_URL : credentials.OPENAI_BASE_URL
  const url = (given || (provider === 'anthropic' ? 'https://api.anthropic.com' : 'https://api.openai.com/v1')).replace(
    /\/+$/,
    '',
  )
  return provider === 'anthropic' ? `${url}/v1` : url
}

/** The address that the sandbox lets it reach. */
export function endpointOf({ model, credentials }: Pick<EngineTask, 'model' | 'credentials'>): string {
  const choice = opencodeModel(model, credentials)
  return 'mistake' in choice ? 'https://localhost' : baseUrlOf(choice, credentials)
}
