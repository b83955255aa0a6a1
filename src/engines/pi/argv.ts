/** How pi is started: arguments, environment, and the files of its folder. Pure. The prompt goes to stdin. */
import path from 'node:path'
import type { CliTurn } from '../cli/conversation.ts'
import type { EngineTask } from '../engine.ts'
import { chooseProviderModel, type ProviderModel, providerKeyName, providerServer } from '../models/provider_model.ts'

/** Its folder of settings and models: separate for each session, below the run's home, which judges share. */
export function piFolder({ env, sessionId }: Pick<EngineTask, 'env' | 'sessionId'>): string {
  return path.join(env.HOME ?? '', '.pi-run', sessionId)
}

/** Arguments of a headless run. Of all extensions it loads only Whetstone's. */
export function piArguments(task: CliTurn, { provider, id }: ProviderModel): string[] {
  return [
    ...['-p', '--mode', 'json', ...sessionArguments(task), '--provider', provider, '--model', id],
    ...['--no-extensions', '--extension', path.join(piFolder(task), 'extension.mjs')],
    ...['--no-prompt-templates', '--no-themes'],
    ...(task.effort === undefined ? [] : ['--thinking', task.effort]),
    ...toolArguments(task.tools),
  ]
}

/** It keeps a session only if a further message may follow. */
function sessionArguments({ resumes, nextMessage }: CliTurn): string[] {
  if (resumes !== undefined) return ['--session', resumes.sessionId]
  return nextMessage === undefined ? ['--no-session'] : []
}

/** Files that an agent left in the folder must not instruct a judge. An empty system prompt means pi's own, instead of the folder's. */
const judgeArguments = [...['--no-context-files', '--no-skills', '--system-prompt', '', '--append-system-prompt', '']]

function toolArguments(tools: EngineTask['tools']): string[] {
  switch (tools) {
    case 'all':
      return []
    case 'read_only':
      return ['--tools', 'read,grep,find,ls', ...judgeArguments]
    case 'none':
      return ['--no-tools', ...judgeArguments]
  }
}

/** The child's whole environment: the run's, its key, and settings that isolate it. */
export function piEnvironment(
  task: Pick<EngineTask, 'env' | 'credentials' | 'sessionId' | 'model'>,
): Record<string, string> {
  const model = chooseProviderModel('pi', task.model, task.credentials)
  const key = 'mistake' in model ? null : providerKeyName(model)
  const value = key === null ? undefined : task.credentials[key]
  return {
    ...task.env,
    ...(key !== null && value ? { [key]: value } : {}),
    PI_CODING_AGENT_DIR: piFolder(task),
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
    JITI_FS_CACHE: 'false', // the loader of extensions would write to the temporary folder
  }
}

/** The JSON files of its folder, by name. */
export function piFiles(task: EngineTask, model: ProviderModel): Record<string, object> {
  const { url } = providerServer(model, task.credentials)
  return {
    'models.json': { providers: { [model.provider]: { baseUrl: url } } },
    'settings.json': {
      retry: { maxRetries: allowedRetries(task), baseDelayMs: 1000, provider: { maxRetries: 0 } },
      enableInstallTelemetry: false,
    },
    'whetstone.json': {
      provider: model.provider,
      model: model.id,
      effort: task.effort ?? null,
      maxTurns: task.maxTurns,
      readsOnlyBelow: task.tools === 'all' ? null : task.cwd,
    },
  }
}

/** How often it sends a failed request again, after 1, 2, 4 and 8 seconds. */
function allowedRetries({ env }: Pick<EngineTask, 'env'>): number {
  return Number(env.PI_MAX_RETRIES ?? 4) || 0
}
