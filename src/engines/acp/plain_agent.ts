/** An agent of the user's own command line, about which nothing else is known. */
import { findProgram } from '../cli/find_program.ts'
import { anchorWords, fillWords, findPlaceholders } from '../command/command_line.ts'
import type { EngineTask } from '../engine.ts'
import type { AcpRun } from './presets/preset.ts'

/** The program's absolute path (null: there is none) and the whole command line, with files below Whetstone's start folder made absolute. */
export async function findAgent(
  words: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<{ program: string | null; words: [string, ...string[]] }> {
  const anchored = anchorWords(words, process.cwd())
  return { program: await findProgram(anchored[0], env.PATH ?? ''), words: anchored }
}

/** Whether the command line itself gets the model. */
export function takesModel(words: readonly string[]): boolean {
  return findPlaceholders(words).has('model')
}

/** It gets all credentials, as a program of the command engine does. */
export function openPlainRun(
  words: readonly [string, ...string[]],
  { model, env, credentials }: Pick<EngineTask, 'model' | 'env' | 'credentials'>,
): AcpRun {
  const { args } = fillWords(words, { prompt: '', model })
  return { args, env: { ...env, ...credentials } }
}
