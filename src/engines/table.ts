/** The table of engines: a new one is a folder and a line here, or in the table of features. */
import { UserError } from '../base/errors/error.ts'
import { suggestChoice } from '../base/text/did_you_mean.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { claudeCode } from './claude_code/claude_code.ts'
import { codex } from './codex/codex.ts'
import { commandEngine } from './command/command.ts'
import type { Engine } from './engine.ts'
import { openai } from './openai/openai.ts'

const engines: Record<string, Engine> = {
  'claude-code': claudeCode,
  anthropic,
  codex,
  openai,
  command: commandEngine,
}

/** Adds those of features; again changes nothing. */
export function addEngines(more: Readonly<Record<string, Engine>>): void {
  Object.assign(engines, more)
}

/** All names, in the order in which messages list them: those that take a command line come last, by name. */
export function listEngineNames(): string[] {
  const names = Object.keys(engines)
  return [...names.filter((name) => !takesCommand(name)), ...names.filter(takesCommand).sort()]
}

/** All engines, in the same order. */
export function listEngines(): Engine[] {
  return listEngineNames().map(findEngine)
}

/** The names of the engines that fit, in words, such as "claude-code, codex or pi". */
export function nameEngines(word: 'and' | 'or', fits: (engine: Engine) => boolean): string {
  const names = listEngines().flatMap((one) => (fits(one) ? one.name : []))
  return names.join(', ').replace(/, ([^,]*)$/, ` ${word} $1`)
}

/** Whether an engine has this name. */
export function isEngineName(name: string): boolean {
  return Object.hasOwn(engines, name)
}

/** Whether what follows this engine's name and a colon is the command line of an agent. */
export function takesCommand(name: string): boolean {
  return isEngineName(name) && engines[name]?.takesCommand !== undefined
}

/** Whether a text such as `command:./agent.sh` names such an engine with a command line. */
export function isCommandText(text: string): boolean {
  return text.includes(':') && takesCommand(text.slice(0, text.indexOf(':')))
}

/** Whether a value names such an engine with a command line; also true for a list in which one part does. */
export function mentionsCommand(value: string): boolean {
  return listEngineNames().some((name) => takesCommand(name) && value.includes(`${name}:`))
}

/** Throws UserError `unsupported-engine` for a known agent without an engine. */
export function refuseReserved(name: string): void {
  for (const { name: engine, takesCommand } of listEngines()) {
    if (takesCommand === undefined || !Object.hasOwn(takesCommand.agents, name)) continue
    const message = `unsupported-engine: there is no engine named ${name}`
    const hint = `start it as a program: --engine "${engine}:${takesCommand.agents[name]}"`
    throw new UserError(message, hint, 'unsupported-engine')
  }
}

/** The engine with this name. Throws UserError with the nearest names and all names; `unsupported-engine` for a known agent without one. */
export function findEngine(name: string): Engine {
  const engine = isEngineName(name) ? engines[name] : undefined
  if (engine !== undefined) return engine
  refuseReserved(name)
  throw new UserError(`unknown engine ${JSON.stringify(name)}`, suggestChoice(name, listEngineNames()))
}
