/** How Codex is started: arguments, environment and its own sandbox. The prompt goes to stdin, whatever it begins with. */
import path from 'node:path'
import { runProcess, SpawnError } from '../../base/process/spawn.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { type FolderTask, findOwnFolder } from '../cli/followed_file.ts'
import type { EngineTask } from '../engine.ts'
import type { SuiteServer } from '../environment/suite_servers.ts'
import { codexEnvironmentOptions, codexServerSettings } from './environment_settings.ts'

/** The variables with its key; the first that is set is used. */
export const codexKeys = ['CODEX_API_KEY', 'OPENAI_API_KEY']
const keyName = 'CODEX_API_KEY'

/**
 * How the programs that Codex starts are confined. own: by Codex's own sandbox (no network, writes in the working folder and temporary
 * folders only); none: not by Codex. judge: always by Codex; it reads below its folder and below `readable`, absolute paths.
 */
export type Confinement = { by: 'own' } | { by: 'none' } | { by: 'judge'; readable: readonly string[] }

/** Features that are disabled in a run: they contact servers other than the model's, install from them, or wait without an end. */
const featuresOff = ['plugins', 'apps', 'remote_plugin', 'shell_snapshot', 'unbounded_connection_retries']

export interface CodexInvocation {
  /** The file with the schema of the answer; null: free text. */
  schemaFile: string | null
  confinement: Confinement
  /** Files of the images that the prompt shows; absent: none. */
  images?: readonly string[]
  /** The suite's MCP servers; absent: none. */
  servers?: readonly SuiteServer[]
}

/**
 * Arguments of a headless run. Its session is kept in its own home, which is removed after the run: the skills that it was offered are
 * read from there (so no --ephemeral).
 */
export function codexArguments(
  task: CliTurn,
  { schemaFile, confinement, images = [], servers = [] }: CodexInvocation,
): string[] {
  const shown = images.flatMap((file) => ['-i', file]) // takes what follows it up to the next option as further files
  const argv = [
    'exec',
    ...shown,
    '--json',
    '--skip-git-repo-check',
    '--ignore-user-config',
    '--ignore-rules',
    '-C',
    task.cwd,
  ]
  if (task.model !== null) argv.push('-m', task.model)
  if (schemaFile !== null) argv.push('--output-schema', schemaFile)
  if (confinement.by !== 'judge') {
    argv.push('--sandbox', confinement.by === 'own' ? 'workspace-write' : 'danger-full-access')
  }
  for (const feature of [...featuresOff, ...toolsOff(task.tools)]) argv.push('--disable', feature)
  const { flags, settings: surroundings } = codexEnvironmentOptions(task)
  argv.push(...flags)
  const own = codexServerSettings(servers, task.env)
  for (const [name, value] of [...settings(task, confinement), ...surroundings, ...own])
    argv.push('-c', `${name}=${value}`)
  return [...argv, ...(task.resumes === undefined ? [] : ['resume', task.resumes.sessionId]), '-']
}

function effortSetting(effort: string): [string, string] {
  return ['model_reasoning_effort', JSON.stringify(effort)]
}

function toolsOff(tools: EngineTask['tools']): string[] {
  return tools === 'none' ? ['shell_tool', 'unified_exec', 'view_image'] : []
}

/** Values are TOML, where a JSON string is also a string. */
function settings(task: EngineTask, confinement: Confinement): [string, string][] {
  const retries = Number(task.env.CODEX_MAX_RETRIES ?? 4) || 0
  const provider = [
    'name="gateway"',
    `base_url=${JSON.stringify(codexEndpoint(task.credentials))}`,
    `env_key="${keyName}"`,
    'wire_api="responses"',
    'request_max_retries=0', // it does not report these retries, but it reports the others
    `stream_max_retries=${retries}`,
  ]
  return [
    ['model_provider', '"gateway"'],
    ['model_providers.gateway', `{${provider.join(',')}}`],
    ...(task.effort === undefined ? [] : [effortSetting(task.effort)]),
    ['analytics.enabled', 'false'],
    ['check_for_update_on_startup', 'false'],
    // Codex reads nothing above the working folder: no AGENTS.md and no skills of a repository around it
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

/** A judge reads only below its folder and does not search the web; files that an agent left there don't instruct it. */
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

/** The address below which it sends its requests. */
export function codexEndpoint(credentials: EngineTask['credentials']): string {
  return (credentials.OPENAI_BASE_URL || 'https://api.openai.com/v1').replace(/\/+$/, '')
}

/** The folder of its configuration and session: one for each session, below the run's home, which judges share. */
export function codexHome(task: FolderTask): string {
  return findOwnFolder(task, '.codex')
}

/**
 * The child's whole environment: the run's, and its key. With a home below the temporary folder, Codex refuses to create its helpers and
 * its sandbox does not start, so then it gets a temporary folder next to its home.
 */
export function codexEnvironment(task: FolderTask & Pick<EngineTask, 'credentials'>): Record<string, string> {
  const { env, credentials } = task
  const key = codexKeys.map((name) => credentials[name]).find(Boolean)
  const home = codexHome(task)
  const isBelow = home.startsWith(`${env.TMPDIR || '/tmp'}/`)
  return {
    ...env,
    CODEX_HOME: home,
    ...(isBelow ? { TMPDIR: `${home}.tmp` } : {}),
    ...(key ? { [keyName]: key } : {}),
  }
}

const sandboxTrialMs = 10_000
const sandboxTrials = new Map<string, Promise<boolean>>()

/** How this task's tools are confined. Inside Whetstone's sandbox, Codex's own would be nested, which mostly fails and adds nothing. */
export async function chooseConfinement(task: EngineTask, program: string): Promise<Confinement> {
  if (task.sandbox !== null) return { by: 'none' }
  if (task.tools !== 'all') return { by: 'judge', readable: await findProgramFolders(program, task) }
  return (await ownSandboxWorks(program, task)) ? { by: 'own' } : { by: 'none' }
}

/** Whether a command can start in Codex's own sandbox on this machine (containers often forbid it). */
function ownSandboxWorks(program: string, task: EngineTask): Promise<boolean> {
  const known = sandboxTrials.get(program) ?? tryIt(program, task)
  sandboxTrials.set(program, known)
  return known
}

async function tryIt(program: string, task: EngineTask): Promise<boolean> {
  using limit = startTimeLimit(sandboxTrialMs)
  try {
    const end = await runProcess({
      command: program,
      args: ['sandbox', 'true'],
      cwd: task.cwd,
      env: codexEnvironment({ ...task, credentials: {} }),
      signal: limit.signal,
      stdoutLimit: 0,
    })
    return end.exitCode === 0
  } catch (error) {
    if (error instanceof SpawnError || (error instanceof Error && error.name === 'TimeoutError')) return false
    throw error
  }
}

/** Folders of Codex itself that a sandbox must let it read: the folder of its helpers, and where it is installed. */
export async function findProgramFolders(program: string, task: EngineTask): Promise<string[]> {
  return [path.join(codexHome(task), 'tmp'), ...(await findCommandParts([program]))]
}
