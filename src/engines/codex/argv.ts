/** How Codex is started: arguments and environment. Pure. The prompt goes to stdin, whatever it begins with. */
import path from 'node:path'
import type { EngineTask } from '../engine.ts'
import { surroundingsOf } from './surroundings.ts'

/** The keys it takes, the first that is set. */
export const codexKeys = ['CODEX_API_KEY', 'OPENAI_API_KEY']
const keyName = 'CODEX_API_KEY'

/**
 * How what it runs is confined. own: Codex's own sandbox (no network, writes in the working folder and temporary ones
 * only); none: not by Codex. A judge is always confined by Codex: it reads below its folder, and `readable`, absolute.
 */
export type Confinement = { by: 'own' } | { by: 'none' } | { by: 'judge'; readable: readonly string[] }

/** Off for a run: what speaks with servers other than the model's, installs from them, or waits without an end. */
const featuresOff = ['plugins', 'apps', 'remote_plugin', 'shell_snapshot', 'unbounded_connection_retries']

export interface Invocation {
  /** The file with the schema of the answer; null: free text. */
  schemaFile: string | null
  confinement: Confinement
}

/**
 * Arguments of a headless run. Its session is kept in its own home, which goes with the run: what it was offered is read
 * from there (so no --ephemeral).
 */
export function codexArguments(task: EngineTask, { schemaFile, confinement }: Invocation): string[] {
  const argv = ['exec', '--json', '--skip-git-repo-check', '--ignore-user-config', '--ignore-rules', '-C', task.cwd]
  if (task.model !== null) argv.push('-m', task.model)
  if (schemaFile !== null) argv.push('--output-schema', schemaFile)
  if (confinement.by !== 'judge') {
    argv.push('--sandbox', confinement.by === 'own' ? 'workspace-write' : 'danger-full-access')
  }
  for (const feature of [...featuresOff, ...toolsOff(task.tools)]) argv.push('--disable', feature)
  const { flags, settings: surroundings } = surroundingsOf(task)
  argv.push(...flags)
  for (const [name, value] of [...settings(task, confinement), ...surroundings]) argv.push('-c', `${name}=${value}`)
  return [...argv, '-']
}

function toolsOff(tools: EngineTask['tools']): string[] {
  return tools === 'none' ? ['shell_tool', 'unified_exec', 'view_image'] : []
}

/** Values are TOML, in which a JSON string stands for itself. */
function settings(task: EngineTask, confinement: Confinement): [string, string][] {
  const retries = Number(task.env.CODEX_MAX_RETRIES ?? 4) || 0
  const provider = [
    'name="whetstone"',
    `base_url=${JSON.stringify(endpointOf(task.credentials))}`,
    `env_key="${keyName}"`,
    'wire_api="responses"',
    `request_max_retries=${retries}`,
    `stream_max_retries=${retries}`,
  ]
  return [
    ['model_provider', '"whetstone"'],
    ['model_providers.whetstone', `{${provider.join(',')}}`],
    ['analytics.enabled', 'false'],
    ['check_for_update_on_startup', 'false'],
    // nothing above the working folder is looked at: no AGENTS.md, no skill of a repository that it lies in
    ['project_root_markers', '[]'],
    // a login shell would replace PATH
    ['allow_login_shell', 'false'],
    [
      'shell_environment_policy',
      `{inherit="all",ignore_default_excludes=true,exclude=${JSON.stringify([...codexKeys, 'OPENAI_BASE_URL'])}}`,
    ],
    ...(task.tools === 'all' ? [] : judgeSettings(confinement)),
  ]
}

/** A judge reads below its folder only, searches nothing, and what an agent left there tells it nothing. */
function judgeSettings(confinement: Confinement): [string, string][] {
  const alone: [string, string][] = [
    ['project_doc_max_bytes', '0'],
    ['skills.include_instructions', 'false'],
    ['web_search', '"disabled"'],
  ]
  if (confinement.by !== 'judge') return alone
  const readable = confinement.readable.map((folder) => `${JSON.stringify(folder)}="read"`)
  const filesystem = ['":minimal"="read"', '":workspace_roots"={"."="read"}', ...readable]
  return [...alone, ['default_permissions', '"judge"'], ['permissions.judge', `{filesystem={${filesystem.join(',')}}}`]]
}

/** The address that it sends its requests below. */
export function endpointOf(credentials: EngineTask['credentials']): string {
  return (credentials.OPENAI_BASE_URL || 'https://api.openai.com/v1').replace(/\/+$/, '')
}

/** Its configuration and session: a folder of its own for each, below the run's home, which judges share. */
export function codexHome({ env, sessionId }: Pick<EngineTask, 'env' | 'sessionId'>): string {
  return path.join(env.HOME ?? '', '.codex', sessionId)
}

/**
 * The child's whole environment: the run's, and its key. In a home below the temporary folder it would refuse to make its
 * helpers, and its sandbox would not start: it gets a temporary folder beside.
 */
export function codexEnvironment({
  env,
  credentials,
  sessionId,
}: Pick<EngineTask, 'env' | 'credentials' | 'sessionId'>): Record<string, string> {
  const key = codexKeys.map((name) => credentials[name]).find(Boolean)
  const home = codexHome({ env, sessionId })
  const isBelow = home.startsWith(`${env.TMPDIR || '/tmp'}/`)
  return {
    ...env,
    CODEX_HOME: home,
    ...(isBelow ? { TMPDIR: `${home}.tmp` } : {}),
    ...(key ? { [keyName]: key } : {}),
  }
}
