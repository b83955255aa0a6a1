/** Finds the agent of a task, and prepares its start. */
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { findCli, missingCli } from '../cli/agent_cli.ts'
import type { CliLaunch } from '../cli/headless_cli.ts'
import type { KeyedServer } from '../cli/key_placeholders.ts'
import { toRunError } from '../cli/run_failure.ts'
import { anthropicServer, commandEngine, openaiServer } from '../command/command.ts'
import type { EngineContext, EngineError, EngineTask } from '../engine.ts'
import { parseAgentCommand } from './agent_command.ts'
import { findAgent, openPlainRun, takesModel } from './plain_agent.ts'
import type { AcpPreset, AcpRun } from './presets/preset.ts'

export interface PreparedAgent {
  run: AcpRun
  /** null: it is a plain command line. */
  preset: AcpPreset | null
  launch: Omit<CliLaunch, 'signal'>
  /** The model that it is started with; null: not known. */
  startModel: { model: string | null; provider: string | null } | null
  /** The model to be set in the session; null: none. */
  sessionModel: string | null
}

/** Creates the agent's folders and settings; `EngineError`: it can't be started. */
export async function prepareAgent(task: EngineTask, context: EngineContext): Promise<PreparedAgent | EngineError> {
  const agent = parseAgentCommand(task.command)
  switch (agent.kind) {
    case 'mistake':
      return toRunError('bad_request', agent.mistake)
    case 'preset':
      return await preparePreset(agent.preset, task, context)
    case 'words':
      return await preparePlain(agent.words, task)
  }
}

async function preparePreset(
  preset: AcpPreset,
  task: EngineTask,
  context: EngineContext,
): Promise<PreparedAgent | EngineError> {
  const program = await findCli(preset.cli, task)
  if (program === null) return toRunError('missing_binary', missingCli(preset.cli, task.credentials).message)
  const model = preset.model(task.model, task.credentials)
  if ('mistake' in model) return toRunError('bad_request', model.mistake)
  const run = await preset.open(task, context)
  if (typeof run === 'string') return toRunError('bad_request', run)
  const programs = task.sandbox === null ? [] : ((await preset.engine.findPrograms?.(task)) ?? [])
  const launch = { command: program, cwd: task.cwd, env: run.env, sandbox: await openSandbox(task, programs) }
  return { run, preset, launch, startModel: model, sessionModel: null }
}

async function preparePlain(
  line: readonly [string, ...string[]],
  task: EngineTask,
): Promise<PreparedAgent | EngineError> {
  const { program, words } = await findAgent(line, task.env)
  if (program === null) return toRunError('missing_binary', `${line[0]}: no such program`)
  const run = openPlainRun(words, task)
  const launch = { command: program, cwd: task.cwd, env: run.env, sandbox: await openSandbox(task, words) }
  const isInLine = task.model !== null && takesModel(words)
  return {
    ...{ run, preset: null, launch },
    startModel: isInLine && task.model !== null ? { model: task.model, provider: null } : null,
    sessionModel: isInLine ? null : task.model,
  }
}

async function openSandbox(task: EngineTask, words: readonly string[]): Promise<EngineTask['sandbox']> {
  const parts = task.sandbox === null ? [] : await findCommandParts(words)
  return withEndpoint(withReadable(task.sandbox, parts), ...listEndpoints(task))
}

/** The servers that the sandbox lets the agent reach. */
export function listEndpoints(task: Pick<EngineTask, 'model' | 'credentials' | 'command'>): readonly string[] {
  const agent = parseAgentCommand(task.command)
  const engine = agent.kind === 'preset' ? agent.preset.engine : commandEngine
  return engine.reaches?.(task) ?? []
}

/** The server of a preset, whose key is replaced by a placeholder; null for a plain command. */
export function presetServer(task: EngineTask): KeyedServer | null {
  const agent = parseAgentCommand(task.command)
  return agent.kind === 'preset' ? agent.preset.server(task) : null
}

/** The same for a plain command, as for one of the command engine; null for a preset. */
export const plainServers = [anthropicServer, openaiServer].map((serverOf) => (task: EngineTask) => {
  return parseAgentCommand(task.command).kind === 'preset' ? null : serverOf(task)
})
