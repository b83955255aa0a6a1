/** Finds the agent of a task, and prepares its start. */
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import type { CliLaunch } from '../cli/headless_cli.ts'
import { toRunError } from '../cli/run_failure.ts'
import { reaches } from '../command/command.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import { findAgent, openPlainRun, parseAgentCommand, takesModel } from './plain_agent.ts'

export interface PreparedAgent {
  args: readonly string[]
  launch: Omit<CliLaunch, 'signal'>
  /** The model in the command line; null: none. */
  startModel: string | null
  /** The model to be set in the session; null: none. */
  sessionModel: string | null
}

/** `EngineError`: it can't be started. */
export async function prepareAgent(task: EngineTask): Promise<PreparedAgent | EngineError> {
  const parsed = parseAgentCommand(task.command)
  if ('mistake' in parsed) return toRunError('bad_request', parsed.mistake)
  const { program, words } = await findAgent(parsed.words, task.env)
  if (program === null) return toRunError('missing_binary', `${parsed.words[0]}: no such program`)
  const { args, env } = openPlainRun(words, task)
  const isInLine = takesModel(words)
  return {
    args,
    launch: { command: program, cwd: task.cwd, env, sandbox: await openSandbox(task, words) },
    startModel: isInLine ? task.model : null,
    sessionModel: isInLine ? null : task.model,
  }
}

async function openSandbox(task: EngineTask, words: readonly string[]): Promise<EngineTask['sandbox']> {
  const parts = task.sandbox === null ? [] : await findCommandParts(words)
  return withEndpoint(withReadable(task.sandbox, parts), ...reaches(task))
}
