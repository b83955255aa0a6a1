/** Chooses opencode's provider and model, from the requested model and the keys that are set. Pure. */
import type { KeyedServer } from '../cli/key_placeholders.ts'
import type { EngineTask } from '../engine.ts'
import { anthropicModel, guessProvider, isProvider, openaiModel } from '../models/providers.ts'

export const opencodeKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_BASE_URL']

export interface OpencodeModel {
  provider: 'anthropic' | 'openai'
  id: string
}

type Credentials = EngineTask['credentials']

/** Takes `provider/model` as opencode writes it, a model alone, or null: the default of the provider whose key is set. */
export function opencodeModel(model: string | null, credentials: Credentials): OpencodeModel | { mistake: string } {
  const slash = model?.indexOf('/') ?? -1
  const named = model === null || slash < 0 ? null : model.slice(0, slash)
  if (named !== null && !isProvider(named)) {
    return {
      mistake: `opencode: unsupported provider ${named} of ${model}; Whetstone passes keys for anthropic and openai`,
    }
  }
  const rest = model === null || slash < 0 ? model : model.slice(slash + 1)
  const provider = named ?? guessProvider(rest ?? '') ?? (credentials.ANTHROPIC_API_KEY ? 'anthropic' : 'openai')
  return { provider, id: provider === 'anthropic' ? anthropicModel(rest) : openaiModel(rest) }
}

/** The name of the variable with this provider's key. */
export function opencodeKeyName({ provider }: OpencodeModel): string {
  return provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
}

/** The provider's server, from its variables. */
export function opencodeServer(model: OpencodeModel, credentials: Credentials): KeyedServer {
  const [address, usual] =
    model.provider === 'anthropic'
      ? ['ANTHROPIC_BASE_URL', 'https://api.anthropic.com']
      : ['OPENAI_BASE_URL', 'https://api.openai.com/v1']
  return { address, url: (credentials[address] || usual).replace(/\/+$/, ''), keys: [opencodeKeyName(model)] }
}

/** The address below which it sends its requests; Anthropic's variable has no /v1, OpenAI's has. */
export function opencodeBaseUrl(model: OpencodeModel, credentials: Credentials): string {
  const { url } = opencodeServer(model, credentials)
  return model.provider === 'anthropic' ? `${url}/v1` : url
}

/** The address that the sandbox lets it reach. */
export function opencodeEndpoint({ model, credentials }: Pick<EngineTask, 'model' | 'credentials'>): string {
  const choice = opencodeModel(model, credentials)
  return 'mistake' in choice ? 'https://localhost' : opencodeBaseUrl(choice, credentials)
}
