/** How Claude Code is started: arguments and environment. Pure. The prompt goes to stdin, whatever it begins with. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CliTurn } from '../cli/conversation.ts'
import { cloudOfModel, splitCloud } from '../clouds/table.ts'
import type { EngineTask } from '../engine.ts'

/** The credentials that Claude Code itself reads. */
export const claudeKeys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL']

/** Arguments of a headless run. */
export function claudeArguments(task: CliTurn): string[] {
  const argv = [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--strict-mcp-config',
    ...(task.resumes === undefined ? ['--session-id', task.sessionId] : ['--resume', task.resumes.sessionId]),
  ]
  const { model } = splitCloud(task.model)
  if (model !== null) argv.push('--model', model)
  if (task.effort !== undefined) argv.push('--effort', task.effort)
  if (task.maxTurns !== null) argv.push('--max-turns', String(task.maxTurns))
  if (task.answerSchema !== null) argv.push('--json-schema', JSON.stringify(task.answerSchema))
  return [...argv, ...environmentArguments(task), ...permissions(task.tools)]
}

/** The stream reports the suite's hooks, and its MCP servers are the only ones. */
function environmentArguments({ environment, tools, skills }: EngineTask): string[] {
  if (tools !== 'all') return []
  // while it runs, Claude Code follows the settings in the working folder, which the agent can change; equal hooks run once
  const hooks = environment?.hooks ?? {}
  const own = Object.keys(hooks).length === 0 ? [] : ['--settings', JSON.stringify({ hooks })]
  if (environment === undefined) return own
  const servers = environment.mcpConfig === null ? [] : ['--mcp-config', environment.mcpConfig]
  const { systemPrompt } = environment
  const identity = systemPrompt === undefined ? [] : ['--append-system-prompt', systemPrompt]
  return [...own, '--include-hook-events', ...servers, ...identity, ...toolArguments({ environment, skills })]
}

/** Skills and sub-agents keep the tool that they are used with. */
function toolArguments({ environment, skills }: Pick<EngineTask, 'environment' | 'skills'>): string[] {
  const allowed = environment?.allowedTools
  if (allowed === undefined) return []
  const means = [...(skills.length > 0 ? ['Skill'] : []), ...(environment?.agents?.length ? ['Task'] : [])]
  return ['--tools', [...new Set([...allowed, ...means])].join(',')]
}

/**
 * An agent may do everything, with the project's own settings and skills and nothing of a user. A judge reads only below its folder, and
 * files that an agent left there don't configure it: no settings, hooks or CLAUDE.md of that folder are loaded.
 */
function permissions(tools: EngineTask['tools']): string[] {
  switch (tools) {
    case 'all':
      return ['--setting-sources', 'project', '--permission-mode', 'bypassPermissions']
    case 'read_only':
      return ['--setting-sources', '', '--tools', 'Read,Glob,Grep']
    case 'none':
      return ['--setting-sources', '', '--tools', '']
  }
}

/** The child's whole environment: the run's, its keys, and settings that isolate it. `isLent`: the API key is passed another way. */
export function claudeEnvironment(
  task: Pick<EngineTask, 'env' | 'credentials' | 'model' | 'effort'>,
  isLent = false,
): Record<string, string> {
  const { CLAUDECODE: _, ...env } = task.env // with it, Claude Code refuses to start inside another Claude Code
  const cloud = cloudOfModel(task.model)
  const withheld = cloud?.claude?.withheld(task.credentials) ?? (isLent ? [claudeKeyName] : [])
  const keys = Object.entries(task.credentials).filter(
    ([name]) => (cloud?.variables ?? claudeKeys).includes(name) && !withheld.includes(name),
  )
  return {
    ...env,
    ...Object.fromEntries(keys),
    ...cloud?.claude?.switch,
    ...(isLent ? { CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: String(claudeKeyDescriptor) } : {}),
    // the variable would win over the flag
    ...(task.effort === undefined ? {} : { CLAUDE_CODE_EFFORT_LEVEL: task.effort }),
    CLAUDE_CONFIG_DIR: path.join(env.HOME ?? '', '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // as root, Claude Code refuses to bypass permissions without this
    IS_SANDBOX: '1',
    // its own ten retries take minutes even for a bad key; more retries are up to the caller
    CLAUDE_CODE_MAX_RETRIES: env.CLAUDE_CODE_MAX_RETRIES ?? '4',
  }
}

const claudeKeyName = 'ANTHROPIC_API_KEY'

export interface PipedKey extends Disposable {
  /** Starts a program with the key in its pipe: these words come before the program and its arguments. */
  prefix: readonly [command: string, ...args: string[]]
}

/** The file descriptor from which Claude Code reads the key, before it starts anything. */
const claudeKeyDescriptor = 3

/** A short here-document is a pipe; when Claude Code reads it, the shell that wrote it has become Claude Code, and the key's file is gone. */
const script = `exec ${claudeKeyDescriptor}<<KEY
$(cat "$1"; rm -f "$1")
KEY
shift
exec "$@"`

/** null: there is no API key or no HOME, or the task runs no commands. Claude Code takes other credentials only from its environment. */
export function passKeyViaPipe({ credentials, env, tools, sessionId }: EngineTask): PipedKey | null {
  const key = credentials[claudeKeyName]
  if (!key || tools !== 'all' || env.HOME === undefined) return null
  const file = path.join(env.HOME, `.key-${sessionId}`)
  rmSync(file, { force: true }) // in a later turn, the agent may have put a link there
  writeFileSync(file, key, { mode: 0o600, flag: 'wx' })
  return {
    prefix: ['/bin/sh', '-c', script, 'sh', file],
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  }
}
