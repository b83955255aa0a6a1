/** The table of engines: a new one is a file and a line here. */

import { UserError } from '../base/error.ts'
import { nearest } from '../base/nearest.ts'
import { anthropic } from './anthropic.ts'
import { claudeCode } from './claude_code.ts'
import { codex } from './codex.ts'
import { command } from './command.ts'
import type { Engine } from './engine.ts'
import { openai } from './openai.ts'
import { opencode } from './opencode.ts'

const engines = {
  'claude-code': claudeCode,
  anthropic,
  codex,
  openai,
  opencode,
  command,
} satisfies Record<string, Engine>

/** Agents that are known and have no engine yet: their names stay free for one. */
const reserved: readonly string[] = ['aider', 'amp', 'copilot', 'cursor', 'gemini', 'goose']

export type EngineName = keyof typeof engines

/** All of them, in the order in which they are told. */
export const engineNames: readonly string[] = Object.keys(engines)

/** Whether an engine has this name. */
export function isEngineName(name: string): name is EngineName {
  return Object.hasOwn(engines, name)
}

/** Throws UserError `unsupported-engine` for a reserved name. */
export function refuseReserved(name: string): void {
  if (!reserved.includes(name)) return
  const fix = `engines: ${engineNames.join(', ')}; a program of yours may start it: --engine "command:…" (docs/engines.md)`
  throw new UserError(`unsupported-engine: there is no engine for ${name} yet`, fix, 'unsupported-engine')
}

/** The engine of this name. Throws UserError that names the nearest and all of them; `unsupported-engine` for a reserved one. */
export function engineNamed(name: string): Engine {
  if (isEngineName(name)) return engines[name]
  refuseReserved(name)
  const near = nearest(name, engineNames)
  const fix = `${near.length > 0 ? `did you mean ${near.join(' or ')}? ` : ''}engines: ${engineNames.join(', ')}`
  throw new UserError(`no engine is named ${JSON.stringify(name)}`, fix)
}
