/** The table of engines: a new one is a file and a line here. */

import { UserError } from '../base/error.ts'
import { nearest } from '../base/nearest.ts'
import { anthropic } from './anthropic.ts'
import { claudeCode } from './claude_code.ts'
import { codex } from './codex.ts'
import { command } from './command.ts'
import type { Engine } from './engine.ts'

const engines = {
  'claude-code': claudeCode,
  anthropic,
  codex,
  command,
} satisfies Record<string, Engine>

export type EngineName = keyof typeof engines

/** Whether an engine has this name. */
export function isEngineName(name: string): name is EngineName {
  return Object.hasOwn(engines, name)
}

/** The engine of this name. Throws UserError that names the nearest and all of them. */
export function engineNamed(name: string): Engine {
  if (isEngineName(name)) return engines[name]
  const all = Object.keys(engines)
  const near = nearest(name, all)
  const fix = `${near.length > 0 ? `did you mean ${near.join(' or ')}? ` : ''}engines: ${all.join(', ')}`
  throw new UserError(`no engine is named ${JSON.stringify(name)}`, fix)
}
