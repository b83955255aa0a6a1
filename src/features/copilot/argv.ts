/** How Copilot is started: arguments, environment and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { EngineTask } from '../../engines/engine.ts'
import type { SuiteServer } from '../../engines/environment/suite_servers.ts'
import { guessProvider } from '../../engines/models/providers.ts'
import { type CopilotModel, copilotEndpoints, copilotKeyName } from './model.ts'

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
export function copilotFolders({ env, sessionId }: Pick<EngineTask, 'env' | 'sessionId'>) {
  const root = path.join(env.HOME ?? '', '.copilot-run', sessionId)
  const home = path.join(root, 'home')
  return {
    root,
    home,
    logs: path.join(home, 'logs'),
    cache: path.join(root, 'cache'),
    /** Its own record of the session; the stream has no tokens. */
    events: path.join(home, 'session-state', sessionId, 'events.jsonl'),
  }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function copilotEnvironment(
  task: Pick<EngineTask, 'env' | 'credentials' | 'sessionId'>,
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
