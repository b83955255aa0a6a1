/** How Qwen Code is started: arguments, environment, settings and folders. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { CliTurn } from '../cli/conversation.ts'
import type { EngineTask } from '../engine.ts'
import type { SuiteServer } from '../environment/suite_servers.ts'
import { openaiModel } from '../models/providers.ts'
import { openaiBaseUrl } from '../openai/address.ts'

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
export function qwenFolders({ env, sessionId }: Pick<EngineTask, 'env' | 'sessionId'>) {
  const root = path.join(env.HOME ?? '', '.qwen-run', sessionId)
  const below = (name: string) => path.join(root, name)
  return { root, home: below('home'), requests: below('requests'), settings: below('settings.json') }
}

/** The child's whole environment: the run's, its key and server, and settings that isolate it. */
export function qwenEnvironment(task: Pick<EngineTask, 'env' | 'credentials' | 'sessionId'>): Record<string, string> {
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
  task: Pick<EngineTask, 'env' | 'sessionId' | 'tools' | 'effort'>,
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
