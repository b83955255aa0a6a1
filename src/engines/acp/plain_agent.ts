/** The agent that follows `acp:`: a command line, about which nothing else is known. */
import { findProgram } from '../cli/find_program.ts'
import { anchorWords, fillWords, findPlaceholders, splitCommandLine } from '../command/command_line.ts'
import type { EngineTask } from '../engine.ts'

/** Agents that had names here before: their engines do the same, and see more. */
const formerNames: readonly string[] = ['gemini', 'copilot', 'opencode']

type Words = readonly [string, ...string[]]

/** The words of the command line, or why they are none. */
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
