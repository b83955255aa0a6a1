/** The qwen engine: the real Qwen Code CLI, headless, in folders of its own, on any server with OpenAI's Chat Completions API. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { showPlaces } from '../../base/sandbox/policy.ts'
import { type AgentCli, listCliPrograms, type ProbeFailure, probeCli } from '../../engines/cli/agent_cli.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { type FolderTask, findOwnFolder } from '../../engines/cli/followed_file.ts'
import { type CliReader, type CliRun, type HeadlessCli, runHeadlessCli } from '../../engines/cli/headless_cli.ts'
import { type KeyedServer, withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../../engines/engine.ts'
import { writeAgentFiles } from '../../engines/environment/sub_agents.ts'
import { readSuiteServers, type SuiteServer } from '../../engines/environment/suite_servers.ts'
import { openaiAccount } from '../../engines/limits/account.ts'
import { reportRetry } from '../../engines/limits/rate_limiter.ts'
import { isPriced } from '../../engines/models/cost.ts'
import { openaiEfforts } from '../../engines/models/effort_levels.ts'
import { openaiModel } from '../../engines/models/providers.ts'
import { chatRequests } from '../../engines/models/wire_requests.ts'
import { openaiBaseUrl } from '../../engines/openai/address.ts'
import { ChatRecord, LoggedRequests } from './chat_record.ts'
import { qwenFailure, qwenReport } from './report.ts'
import { QwenStream } from './stream.ts'

const qwenCli: AgentCli = {
  name: 'qwen',
  variable: 'WHETSTONE_QWEN',
  package: '@qwen-code/qwen-code',
  leastVersion: '0.24.0',
  leastNode: 22,
  update: 'qwen update',
}

/** Checks `qwen --version` and the key, then asks the server. Rejects only when aborted. */
function probeQwen(request: ProbeRequest): Promise<Probe> {
  const model = openaiModel(request.model)
  return probeCli(qwenCli, request, {
    env: qwenEnvironment({ env: request.env, credentials: {}, sessionId: 'probe' }),
    model: model,
    failure: async () => keyFailure(request) ?? (await serverFailure(request, model)),
  })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.OPENAI_API_KEY) return null
  const fix =
    'export OPENAI_API_KEY=… (any word for a local server; a login is not seen, because each run has its own home)'
  return { ok: false, kind: 'credentials', message: 'qwen has no key: OPENAI_API_KEY is unset', fix }
}

async function serverFailure(request: ProbeRequest, model: string): Promise<ProbeFailure | null> {
  const { probeOpenaiServer } = await import('../../engines/openai/probe_server.ts')
  return probeOpenaiServer(request, model)
}

const skillsFolder = '.agents/skills'
const homeFolder = '.qwen-run'

export const qwen: Engine = {
  name: 'qwen',
  cli: qwenCli,
  homeFolder,
  projectFiles: ['QWEN.md', '.qwen/QWEN.local.md', '.qwen/skills'],
  settings: ['.qwen'],
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'WHETSTONE_QWEN'],
  address: 'OPENAI_BASE_URL',
  efforts: () => openaiEfforts,
  skillsFolder,
  continuesSession: true,
  userOnlySkills: { start: (name) => `/${name}` },
  account: { slots: 'runs', of: openaiAccount },
  supports: { hooks: [], rules: false, agents: true, mcp_servers: true },
  reaches,
  findPrograms: (task) => listCliPrograms(qwenCli, task),
  probe: probeQwen,
  async reports(name) {
    const priced = { model: openaiModel(name), provider: 'openai' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run: withPlaceholders(runQwen, keyedServer),
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [openaiBaseUrl(credentials)]
}

function keyedServer({ credentials }: EngineTask): KeyedServer {
  return {
    address: 'OPENAI_BASE_URL',
    url: openaiBaseUrl(credentials),
    keys: ['OPENAI_API_KEY'],
    requests: chatRequests,
    provider: 'openai',
  }
}

const headless: HeadlessCli = {
  cli: qwenCli,
  reaches,
  open: openTurn,
  clean: (task) => rm(qwenFolders(task).root, { recursive: true, force: true, maxRetries: 3 }),
}

/** Runs Qwen Code with the task's credentials as they are. */
export function runQwen(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  return runHeadlessCli(headless, task, context)
}

async function openTurn(task: CliTurn, context: EngineContext): Promise<CliRun> {
  const folders = qwenFolders(task)
  if (task.resumes === undefined) {
    await mkdir(folders.home, { recursive: true })
    const settings = JSON.stringify(qwenSettings(task, await readSuiteServers(task)))
    await writeFile(folders.settings, showPlaces(settings, task.sandbox?.policy.places))
    await writeAgentFiles(task, path.join(folders.home, 'agents'))
  }
  return {
    args: qwenArguments(task),
    env: qwenEnvironment(task),
    read: () => readRun(task, context),
  }
}

function readRun(task: CliTurn, context: EngineContext): CliReader {
  const { home, requests: folder } = qwenFolders(task)
  const stream = new QwenStream({ skills: task.skills, skillsFolder, emit: context.emit })
  const requests = new LoggedRequests(folder)
  const chat = new ChatRecord({ home, sessionId: task.sessionId }, ({ status }, waitMs) => {
    reportRetry(context.gate, { status, waitMs })
  })
  if (task.resumes !== undefined) for (const one of [chat, requests]) one.skipWritten()
  const sources = { task, stream, chat, requests }
  const catchUp = () => {
    chat.catchUp()
    requests.catchUp()
  }
  return {
    stream,
    // the stream does not show that it repeats a failed request, nor that it takes a refusal for an empty answer and asks again
    poll() {
      catchUp()
      return (
        chat.failures > allowedRetries(task) || (stream.isAskingAgain && requests.finishReason === 'content_filter')
      )
    },
    report: (end) => qwenReport(sources, end),
    failure: (end) => qwenFailure(sources, end),
    finish() {
      catchUp()
      chat.close()
    },
  }
}

function allowedRetries({ env }: EngineTask): number {
  return Number(env.QWEN_MAX_RETRIES ?? 4) || 0
}

/** Arguments of a headless run. The model is an argument, because a settings file in the working folder could name another one. */
export function qwenArguments({ model, sessionId, maxTurns, tools, resumes }: CliTurn): string[] {
  const session = resumes === undefined ? ['--session-id', sessionId] : ['--resume', resumes.sessionId]
  const argv = ['--auth-type', 'openai', '--output-format', 'stream-json', ...session]
  argv.push('--model', openaiModel(model))
  if (maxTurns !== null) argv.push('--max-session-turns', String(maxTurns))
  return [...argv, ...permissions(tools)]
}

/** Every tool that a judge must not have, by the names in version 0.24. A tool that is new in a later version asks for permission, and the request is denied. */
const agentTools = [
  ...['agent', 'cron_create', 'cron_delete', 'cron_list', 'edit', 'enter_worktree', 'exit_worktree', 'get_goal'],
  ...['list_agents', 'loop_wakeup', 'monitor', 'notebook_edit', 'read_mcp_resource', 'record_artifact'],
  ...['report_findings', 'run_shell_command', 'send_message', 'skill', 'task_stop', 'todo_write', 'tool_call'],
  ...['tool_search', 'update_goal', 'web_fetch', 'write_file', 'zoom_image'],
]
const readTools = ['glob', 'grep_search', 'list_directory', 'read_file']

/**
 * An agent may do everything. A judge reads only below its folder: a read elsewhere asks for permission and is denied. Safe mode
 * leaves out the skills, hooks and instructions in that folder.
 */
function permissions(tools: EngineTask['tools']): string[] {
  const judge = (excluded: readonly string[]) => {
    return ['--safe-mode', '--approval-mode', 'default', '--exclude-tools', excluded.join(',')]
  }
  switch (tools) {
    case 'all':
      return ['--approval-mode', 'yolo']
    case 'read_only':
      return judge(agentTools)
    case 'none':
      return judge([...agentTools, ...readTools])
  }
}

/** Its own folders: separate for each session, below the run's home, which judges share. `requests`: it logs each request there. */
function qwenFolders(task: FolderTask) {
  const root = findOwnFolder(task, homeFolder)
  const below = (name: string) => path.join(root, name)
  return { root, home: below('home'), requests: below('requests'), settings: below('settings.json') }
}

/** The child's whole environment: the run's, its key and server, and settings that isolate it. */
export function qwenEnvironment(task: FolderTask & Pick<EngineTask, 'credentials'>): Record<string, string> {
  const { home, settings } = qwenFolders(task)
  const key = task.credentials.OPENAI_API_KEY
  return {
    ...task.env,
    ...(key ? { OPENAI_API_KEY: key } : {}),
    OPENAI_BASE_URL: openaiBaseUrl(task.credentials),
    QWEN_HOME: home,
    // settings of the system win over those of the working folder
    QWEN_CODE_SYSTEM_SETTINGS_PATH: settings,
    QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
    QWEN_USAGE_STATISTICS_ENABLED: '0',
    QWEN_TELEMETRY_ENABLED: '0',
  }
}

/** The content of its settings file. */
export function qwenSettings(
  task: FolderTask & Pick<EngineTask, 'tools' | 'effort'>,
  servers: readonly SuiteServer[] = [],
): object {
  return {
    general: { enableAutoUpdate: false, chatRecording: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // each of them sends further requests to the model once the answer is there
    memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
    model: {
      enableOpenAILogging: true,
      openAILoggingDir: qwenFolders(task).requests,
      // it repeats failed requests itself; these retries are in addition, and nothing shows them
      generationConfig: {
        maxRetries: 0,
        // its own setting for it may send another level, and another field for some models
        ...(task.effort !== undefined && { extra_body: { reasoning_effort: task.effort } }),
      },
    },
    // a settings file that an agent left in the folder could send a judge's requests to another server
    security: { folderTrust: { enabled: task.tools !== 'all' } },
    ...(servers.length > 0 && { mcpServers: Object.fromEntries(servers.map(toQwenServer)) }),
  }
}

/** `trust`: its calls are not asked about. */
function toQwenServer(server: SuiteServer): [string, object] {
  const { name, type } = server
  if (type === 'stdio') return [name, { command: server.command, args: server.args, env: server.env, trust: true }]
  return [name, { [type === 'http' ? 'httpUrl' : 'url']: server.url, headers: server.headers, trust: true }]
}
