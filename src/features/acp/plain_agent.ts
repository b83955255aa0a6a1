/** The agent that follows `acp:`: a command line, about which nothing else is known; and how it is started. */
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { findProgram } from '../../engines/cli/find_program.ts'
import type { CliLaunch } from '../../engines/cli/headless_cli.ts'
import { toRunError } from '../../engines/cli/run_failure.ts'
import { anchorWords, fillWords, findPlaceholders, reaches, splitCommandLine } from '../../engines/command_line.ts'
import type { EngineError, EngineTask } from '../../engines/engine.ts'

/** Agents that had names here before: their engines do the same, and see more. */
const formerNames: readonly string[] = ['gemini', 'copilot', 'opencode']

type Words = readonly [string, ...string[]]

export function parseAgentCommand(line: string | null): { words: Words } | { mistake: string } {
  if (formerNames.includes(line ?? '')) return { mistake: `acp:${line} is now the engine ${line}: --engine ${line}` }
  const parsed = splitCommandLine(line)
  return 'mistake' in parsed ? { mistake: parsed.mistake.replace('the command engine', 'acp:') } : parsed
}

/** The program's absolute path (null: there is none) and the whole command line, with files below Whetstone's start folder made absolute. */
export async function findAgent(
  words: Words,
  env: Readonly<Record<string, string>>,
): Promise<{ program: string | null; words: [string, ...string[]] }> {
  const anchored = anchorWords(words, process.cwd())
  return { program: await findProgram(anchored[0], env.PATH ?? ''), words: anchored }
}

/** Whether the command line itself gets the model. */
export function takesModel(words: readonly string[]): boolean {
  return findPlaceholders(words).has('model')
}

/** What the agent is started with. It gets all credentials, as a program of the command engine does. */
export function openPlainRun(
  words: Words,
  { model, env, credentials }: Pick<EngineTask, 'model' | 'env' | 'credentials'>,
): { args: readonly string[]; env: Readonly<Record<string, string>> } {
  const { args } = fillWords(words, { prompt: '', model })
  return { args, env: { ...env, ...credentials } }
}

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
