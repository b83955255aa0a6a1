/** How Gemini CLI is started: arguments, environment, settings and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import type { EngineTask } from '../../engines/engine.ts'
import type { SuiteServer } from '../../engines/environment/suite_servers.ts'
import { geminiModel, geminiServer } from './model.ts'
import { geminiThinking } from './thinking.ts'

/** Arguments of a headless run. */
export function geminiArguments({ model, tools, resumes }: Pick<CliTurn, 'model' | 'tools' | 'resumes'>): string[] {
  const mode = tools === 'all' ? 'yolo' : 'default'
  const session = resumes === undefined ? [] : ['--resume', resumes.sessionId]
  return ['--model', geminiModel(model), '--approval-mode', mode, '--output-format', 'stream-json', ...session]
}

/** Its home, separate for each session, below the run's home, which judges share; and its own logs in it. */
export function geminiFolders({ env, sessionId }: Pick<EngineTask, 'env' | 'sessionId'>) {
  const home = path.join(env.HOME ?? '', '.gemini-run', sessionId)
  const own = path.join(home, '.gemini')
  return {
    home,
    settings: path.join(own, 'settings.json'),
    chats: path.join(own, 'tmp'),
    log: path.join(home, 'log'),
    debug: path.join(home, 'debug'),
    agents: path.join(own, 'agents'),
  }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function geminiEnvironment(task: Pick<EngineTask, 'env' | 'credentials' | 'sessionId'>): Record<string, string> {
  const { address, url } = geminiServer(task.credentials)
  const { GEMINI_API_KEY: key } = task.credentials
  return {
    ...task.env,
    ...(key ? { GEMINI_API_KEY: key } : {}),
    [address]: url,
    GEMINI_CLI_HOME: geminiFolders(task).home,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true', // it would start itself a second time for more memory
    GEMINI_DEBUG_LOG_FILE: geminiFolders(task).debug,
  }
}

/** The tools that only read. */
const readingTools = ['read_file', 'list_directory', 'glob', 'grep_search']

/** Its settings file. Its log ("telemetry") is a local file; nothing is sent. */
export function geminiSettings(
  task: Pick<EngineTask, 'env' | 'sessionId' | 'tools' | 'maxTurns' | 'model' | 'effort'>,
  servers: readonly SuiteServer[] = [],
): object {
  const { tools, maxTurns, env } = task
  const retries = Number(env.GEMINI_MAX_RETRIES ?? 4) || 0
  return {
    security: {
      auth: { selectedType: 'gemini-api-key', enforcedType: 'gemini-api-key' },
      folderTrust: { enabled: false },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: true, target: 'local', outfile: geminiFolders(task).log, logPrompts: true },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: retries + 1 },
    advanced: { ignoreLocalEnv: true },
    ...(maxTurns === null ? {} : { model: { maxSessionTurns: maxTurns } }),
    ...geminiThinking(task.model, task.effort),
    ...(servers.length > 0 && { mcpServers: Object.fromEntries(servers.map(toGeminiServer)) }),
    ...(tools === 'all' ? {} : { skills: { enabled: false } }),
    // an empty list would mean all tools
    ...(tools === 'all' ? {} : { tools: { core: tools === 'none' ? ['no_tool'] : readingTools } }),
  }
}

/** `trust`: its calls are not asked about. */
function toGeminiServer(server: SuiteServer): [string, object] {
  const { name, type } = server
  if (type === 'stdio') return [name, { command: server.command, args: server.args, env: server.env, trust: true }]
  return [name, { [type === 'http' ? 'httpUrl' : 'url']: server.url, headers: server.headers, trust: true }]
}
