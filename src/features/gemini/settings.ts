/** How Gemini CLI is started: arguments, environment, settings, model, effort and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { AccountId } from '../../base/rate_limit_slot.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { type FolderTask, findOwnFolder } from '../../engines/cli/followed_file.ts'
import type { KeyedServer } from '../../engines/cli/key_placeholders.ts'
import type { EngineTask } from '../../engines/engine.ts'
import type { SuiteServer } from '../../engines/environment/suite_servers.ts'
import { geminiRequests } from '../../engines/models/wire_requests.ts'

/** Arguments of a headless run. */
export function geminiArguments({ model, tools, resumes }: Pick<CliTurn, 'model' | 'tools' | 'resumes'>): string[] {
  const mode = tools === 'all' ? 'yolo' : 'default'
  const session = resumes === undefined ? [] : ['--resume', resumes.sessionId]
  return ['--model', geminiModel(model), '--approval-mode', mode, '--output-format', 'stream-json', ...session]
}

/** Its home, separate for each session, below the run's home, which judges share; and its own logs in it. */
export function geminiFolders(task: FolderTask) {
  const home = findOwnFolder(task, '.gemini-run')
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
export function geminiEnvironment(task: FolderTask & Pick<EngineTask, 'credentials'>): Record<string, string> {
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
  task: FolderTask & Pick<EngineTask, 'tools' | 'maxTurns' | 'model' | 'effort'>,
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

/** Gemini 2.5 has no levels, only a number of tokens; these are the ones that Google's own API for OpenAI's clients uses for the levels. */
const budgets: Readonly<Record<string, number>> = { low: 1024, medium: 8192, high: 24_576 }

/** The levels of the later models. */
const levels = ['minimal', 'low', 'medium', 'high']

function isBudgeted(id: string): boolean {
  return /^gemini-2\.5\b/.test(id)
}

export function geminiEfforts(model: string | null): readonly string[] {
  return isBudgeted(geminiModel(model)) ? Object.keys(budgets) : levels
}

/** The part of its settings that sets the level for this model; empty: none was asked for. */
export function geminiThinking(model: string | null, effort: string | undefined): object {
  if (effort === undefined) return {}
  const id = geminiModel(model)
  const thinkingConfig = isBudgeted(id) ? { thinkingBudget: budgets[effort] } : { thinkingLevel: effort.toUpperCase() }
  const override = { match: { model: id }, modelConfig: { generateContentConfig: { thinkingConfig } } }
  return { modelConfigs: { overrides: [override] } }
}

type Credentials = EngineTask['credentials']

export const geminiKeys = ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL']

export const geminiProvider = 'google'

/** The CLI's own short names; which model it chooses for one depends on the account, so they are resolved here. */
export const geminiAliases: Readonly<Record<string, string>> = {
  pro: 'gemini-2.5-pro',
  flash: 'gemini-2.5-flash',
  'flash-lite': 'gemini-2.5-flash-lite',
}

/** The model id for the Gemini API; null is the default. By default the CLI would choose a model for each request. */
export function geminiModel(model: string | null): string {
  const id = (model ?? 'pro').replace(/^(?:google\/|models\/)/, '')
  return Object.hasOwn(geminiAliases, id) ? (geminiAliases[id] ?? id) : id
}

export function geminiServer(credentials: Credentials): KeyedServer {
  const url = credentials.GOOGLE_GEMINI_BASE_URL || 'https://generativelanguage.googleapis.com'
  return {
    address: 'GOOGLE_GEMINI_BASE_URL',
    url: url.replace(/\/+$/, ''),
    keys: ['GEMINI_API_KEY'],
    requests: geminiRequests,
    provider: geminiProvider,
  }
}

export function geminiAccount(credentials: Credentials): AccountId {
  return {
    provider: geminiProvider,
    baseUrl: geminiServer(credentials).url,
    secret: credentials.GEMINI_API_KEY ?? '',
  }
}
