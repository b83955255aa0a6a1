/** How Copilot is started: arguments, environment, model, server and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import { type FolderTask, findOwnFolder } from '../../engines/cli/followed_file.ts'
import type { KeyedServer } from '../../engines/cli/key_placeholders.ts'
import type { EngineTask } from '../../engines/engine.ts'
import type { SuiteServer } from '../../engines/environment/suite_servers.ts'
import { anthropicEfforts, openaiEfforts } from '../../engines/models/effort_levels.ts'
import { anthropicModel, guessProvider, openaiModel } from '../../engines/models/providers.ts'
import { chatRequests, messagesRequests, responsesRequests } from '../../engines/models/wire_requests.ts'

/** Arguments of a headless run; the id is of a new session, or of one to go on with. It is not asked to trust the folder, so hooks and MCP servers there do not start. */
export function copilotArguments(
  { sessionId, tools, effort }: Pick<EngineTask, 'sessionId' | 'tools' | 'effort'>,
  servers: readonly SuiteServer[] = [],
): string[] {
  return [
    ...['--output-format', 'json', '--no-color', '--no-auto-update', '--no-ask-user', '--disable-builtin-mcps'],
    ...['--log-level', 'none', `--session-id=${sessionId}`],
    ...copilotEffort(effort),
    ...copilotServers(servers),
    ...permissions(tools),
  ]
}

/** The suite's MCP servers, besides which it has none. */
function copilotServers(servers: readonly SuiteServer[]): string[] {
  if (servers.length === 0) return []
  const entries = servers.map((server) => {
    if (server.type !== 'stdio')
      return [server.name, { type: server.type, url: server.url, headers: server.headers, tools: ['*'] }]
    const { command, args, env } = server
    return [server.name, { type: 'local', command, args, env, tools: ['*'] }]
  })
  return ['--additional-mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(entries) })]
}

/** The level goes to the model's server as it is, whatever the model. */
function copilotEffort(effort: string | undefined): string[] {
  return effort === undefined ? [] : ['--reasoning-effort', effort]
}

/** An agent may do everything. A judge reads only below its folder, and files there do not instruct it. */
function permissions(tools: EngineTask['tools']): string[] {
  const judge = ['--allow-all-tools', '--disallow-temp-dir', '--no-custom-instructions']
  switch (tools) {
    case 'all':
      return ['--allow-all']
    case 'read_only':
      return ['--available-tools=view,grep,rg,glob', ...judge]
    case 'none':
      return ['--available-tools=none', ...judge] // no tool has this name; an empty list would mean all
  }
}

/** Its folders: separate for each session, below the run's home, which judges share. */
export function copilotFolders(task: FolderTask) {
  const root = findOwnFolder(task, '.copilot-run')
  const home = path.join(root, 'home')
  return {
    root,
    home,
    logs: path.join(home, 'logs'),
    cache: path.join(root, 'cache'),
    /** Its own record of the session; the stream has no tokens. */
    events: path.join(home, 'session-state', task.sessionId, 'events.jsonl'),
  }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function copilotEnvironment(
  task: FolderTask & Pick<EngineTask, 'credentials'>,
  model: CopilotModel,
): Record<string, string> {
  const folders = copilotFolders(task)
  return {
    ...task.env,
    COPILOT_HOME: folders.home,
    COPILOT_CACHE_HOME: folders.cache,
    COPILOT_AUTO_UPDATE: 'false',
    ...(model.id === null ? {} : { COPILOT_MODEL: model.id }),
    ...providerSettings(model, task.credentials),
  }
}

function providerSettings(model: CopilotModel, credentials: EngineTask['credentials']): Record<string, string> {
  const key = credentials[copilotKeyName(model)] ?? ''
  // a host that a suite sets would be sent the token
  if (model.provider === 'github') return { COPILOT_GH_HOST: 'github.com', COPILOT_GITHUB_TOKEN: key }
  return {
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_TYPE: model.provider,
    COPILOT_PROVIDER_BASE_URL: copilotEndpoints(model, credentials)[0] ?? '',
    COPILOT_PROVIDER_API_KEY: key,
    ...(model.provider === 'openai' ? { COPILOT_PROVIDER_WIRE_API: wireApi(model.id, credentials) } : {}),
  }
}

/** OpenAI's own models need the Responses API for reasoning; other servers may only have Chat Completions. */
function wireApi(model: string, { COPILOT_PROVIDER_WIRE_API: chosen }: EngineTask['credentials']): string {
  return chosen || (guessProvider(model) === 'openai' ? 'responses' : 'completions')
}

type Credentials = EngineTask['credentials']

/** `github`: Copilot's own models, with a GitHub token. `id` null: Copilot's default model. */
export type CopilotModel = { provider: 'anthropic' | 'openai'; id: string } | { provider: 'github'; id: string | null }

interface CopilotProvider {
  key: string
  /** The variable with the address of the server; null: Copilot chooses its servers by itself. */
  address: string | null
  /** The addresses below which it sends its requests, if the user names no other. */
  usual: readonly string[]
  /** What it sends with the key, where a proxy can put it in. */
  requests: KeyedServer['requests']
}

const providers: Readonly<Record<CopilotModel['provider'], CopilotProvider>> = {
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    address: 'ANTHROPIC_BASE_URL',
    usual: ['https://api.anthropic.com'],
    requests: messagesRequests,
  },
  openai: {
    key: 'OPENAI_API_KEY',
    address: 'OPENAI_BASE_URL',
    usual: ['https://api.openai.com/v1'],
    requests: [...responsesRequests, ...chatRequests],
  },
  github: {
    key: 'COPILOT_GITHUB_TOKEN',
    address: null,
    // the plan of the account decides which of the last four it uses
    usual: [
      'https://api.github.com',
      'https://api.githubcopilot.com',
      'https://api.individual.githubcopilot.com',
      'https://api.business.githubcopilot.com',
      'https://api.enterprise.githubcopilot.com',
    ],
    requests: [],
  },
}

/** The variables that choose and reach a model. */
export const copilotKeys = [
  ...Object.values(providers).flatMap(({ key, address }) => (address === null ? [key] : [key, address])),
  'COPILOT_PROVIDER_WIRE_API',
]

/** Takes `provider/model`, a model alone, or null: the default of the provider whose key is set. */
export function copilotModel(model: string | null, credentials: Credentials): CopilotModel | { mistake: string } {
  const slash = model?.indexOf('/') ?? -1
  const named = model === null || slash < 0 ? null : model.slice(0, slash)
  if (named !== null && !isCopilotProvider(named)) {
    return { mistake: `copilot: unsupported provider ${named} of ${model}; it takes anthropic, openai and github` }
  }
  const rest = model === null || slash < 0 ? model : model.slice(slash + 1) || null
  const provider = named ?? guessProvider(rest ?? '') ?? firstWithKey(credentials)
  switch (provider) {
    case 'anthropic':
      return { provider, id: anthropicModel(rest) }
    case 'openai':
      return { provider, id: openaiModel(rest) }
    case 'github':
      return { provider, id: rest }
  }
}

function isCopilotProvider(name: string): name is CopilotModel['provider'] {
  return Object.hasOwn(providers, name)
}

function firstWithKey(credentials: Credentials): CopilotModel['provider'] {
  if (credentials.ANTHROPIC_API_KEY) return 'anthropic'
  if (credentials.OPENAI_API_KEY) return 'openai'
  return credentials.COPILOT_GITHUB_TOKEN ? 'github' : 'anthropic'
}

/** Those of the model's provider; those of all providers if no model is named, because then the key chooses. */
export function copilotEfforts(name: string | null): readonly string[] {
  const model = copilotModel(name, {})
  return name === null || 'mistake' in model || model.provider === 'anthropic' ? anthropicEfforts : openaiEfforts
}

/** How the user writes this model. */
export function copilotModelName({ provider, id }: CopilotModel): string {
  return id === null ? provider : `${provider}/${id}`
}

/** The name of the variable with this provider's key. */
export function copilotKeyName({ provider }: CopilotModel): string {
  return providers[provider].key
}

/** The addresses below which it sends its requests. */
export function copilotEndpoints({ provider }: CopilotModel, credentials: Credentials): readonly string[] {
  const { address, usual } = providers[provider]
  const chosen = address === null ? undefined : credentials[address]?.replace(/\/+$/, '')
  return chosen ? [chosen] : usual
}

/** The server of the task's model; null: there is no such provider, or it is GitHub, where Copilot signs in to more than one server. */
export function chooseCopilotServer({
  model,
  credentials,
}: Pick<EngineTask, 'model' | 'credentials'>): KeyedServer | null {
  const chosen = copilotModel(model, credentials)
  if ('mistake' in chosen) return null
  const { provider } = chosen
  const { key, address, requests } = providers[provider]
  const [url] = copilotEndpoints(chosen, credentials)
  return address === null || url === undefined ? null : { address, url, keys: [key], requests, provider }
}
