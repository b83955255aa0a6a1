/** How opencode is started: arguments, environment, configuration and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { type FolderTask, findOwnFolder } from '../../engines/cli/followed_file.ts'
import type { EngineTask } from '../../engines/engine.ts'
import type { SuiteServer } from '../../engines/environment/suite_servers.ts'
import {
  chooseProviderModel,
  type ProviderModel,
  providerKeyName,
  providerServer,
} from '../../engines/models/provider_model.ts'

/** Arguments of a headless run. Without a title, opencode would ask a model for one. */
export function opencodeArguments({ resumes }: Pick<CliTurn, 'resumes'> = {}): string[] {
  const session = resumes === undefined ? ['--title', 'whetstone'] : ['--session', resumes.sessionId]
  return ['run', '--format', 'json', '--thinking', '--pure', ...session]
}

/** The folders of its configuration, data, cache and state: separate for each session, below the run's home, which judges share. */
export function opencodeFolders(task: FolderTask) {
  const root = findOwnFolder(task, '.opencode-run')
  const below = (name: string) => path.join(root, name)
  return { root, config: below('config'), data: below('data'), cache: below('cache'), state: below('state') }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function opencodeEnvironment(
  task: FolderTask & Pick<EngineTask, 'credentials' | 'model' | 'tools' | 'effort' | 'environment'>,
  servers: readonly SuiteServer[] = [],
): Record<string, string> {
  const model = chooseProviderModel('opencode', task.model, task.credentials)
  const key = 'mistake' in model ? null : providerKeyName(model)
  const value = key === null ? undefined : task.credentials[key]
  const folders = opencodeFolders(task)
  return {
    ...task.env,
    ...(key !== null && value ? { [key]: value } : {}),
    XDG_CONFIG_HOME: folders.config,
    XDG_DATA_HOME: folders.data,
    XDG_CACHE_HOME: folders.cache,
    XDG_STATE_HOME: folders.state,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...configuration(task), ...surroundings(task, servers) }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_SHARE: '1',
    ...(task.tools === 'all' ? {} : judgeEnvironment),
  }
}

/** Files that an agent left in the folder must not configure or instruct a judge. */
const judgeEnvironment = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
}

/** The suite's servers, which it starts in the working folder with its own environment, and its sub-agents. */
function surroundings(
  { environment, tools }: Pick<EngineTask, 'environment' | 'tools'>,
  servers: readonly SuiteServer[],
) {
  const agents = tools === 'all' ? (environment?.agents ?? []) : []
  const entries = servers.map((server) => {
    if (server.type !== 'stdio') return [server.name, { type: 'remote', url: server.url, headers: server.headers }]
    const { command, args, env } = server
    return [server.name, { type: 'local', command: [command, ...args], environment: env }]
  })
  const own = agents.map(({ name, description, prompt }) => [name, { mode: 'subagent', description, prompt }])
  return {
    ...(entries.length > 0 && { mcp: Object.fromEntries(entries) }),
    ...(own.length > 0 && { agent: Object.fromEntries(own) }),
  }
}

function configuration(task: Pick<EngineTask, 'credentials' | 'model' | 'tools' | 'effort'>): object {
  const model = chooseProviderModel('opencode', task.model, task.credentials)
  const base = { autoupdate: false, share: 'disabled', snapshot: false, permission: permission(task.tools) }
  if ('mistake' in model) return base
  const name = `${model.provider}/${model.id}`
  const options = { baseURL: opencodeBaseUrl(model, task.credentials) }
  // makes opencode accept a model that is missing in its own list
  const provider = { [model.provider]: { options, models: { [model.id]: modelSettings(model, task.effort) } } }
  return { ...base, model: name, small_model: name, enabled_providers: [model.provider], provider }
}

/** The address below which it sends its requests; Anthropic's variable has no /v1, OpenAI's has. */
function opencodeBaseUrl(model: ProviderModel, credentials: EngineTask['credentials']): string {
  const { url } = providerServer(model, credentials)
  return model.provider === 'anthropic' ? `${url}/v1` : url
}

/** The address that the sandbox lets it reach. */
export function opencodeEndpoint({ model, credentials }: Pick<EngineTask, 'model' | 'credentials'>): string {
  const choice = chooseProviderModel('opencode', model, credentials)
  return 'mistake' in choice ? 'https://localhost' : opencodeBaseUrl(choice, credentials)
}

/** As options of the model, because --variant is ignored for models that are missing in opencode's own list. */
function modelSettings({ provider }: ProviderModel, effort: string | undefined): object {
  if (effort === undefined) return {}
  return { options: provider === 'anthropic' ? { effort } : { reasoningEffort: effort } }
}

/** An agent may do everything; a judge reads only below its folder. */
function permission(tools: EngineTask['tools']): unknown {
  switch (tools) {
    case 'all':
      return { '*': 'allow', external_directory: 'allow' }
    case 'read_only':
      return { '*': 'deny', read: 'allow', glob: 'allow', grep: 'allow', list: 'allow', external_directory: 'deny' }
    case 'none':
      return { '*': 'deny' }
  }
}
