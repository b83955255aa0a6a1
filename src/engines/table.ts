/** The table of engines, and where their agents look for skills: a new engine is a folder and a line here, or in the table of features. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/errors/error.ts'
import { suggestChoice } from '../base/text/did_you_mean.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { claudeCode } from './claude_code/claude_code.ts'
import { codex } from './codex/codex.ts'
import type { Engine } from './engine.ts'
import { openai } from './openai/openai.ts'

const engines: Record<string, Engine> = {
  'claude-code': claudeCode,
  anthropic,
  codex,
  openai,
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

export function listEngines(): Engine[] {
  return listEngineNames().map(findEngine)
}

/** The names of the engines that fit, in words, such as "claude-code, codex or pi". */
export function nameEngines(word: 'and' | 'or', fits: (engine: Engine) => boolean): string {
  const names = listEngines().flatMap((one) => (fits(one) ? one.name : []))
  return names.join(', ').replace(/, ([^,]*)$/, ` ${word} $1`)
}

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

/** The folders for skills of the working folder, the first one foremost; `--skills-folder` replaces them. */
export function listSkillsFolders(
  engine: Pick<Engine, 'skillsFolder' | 'otherSkillsFolders'>,
  choice: Pick<EngineChoice, 'skills_folder'>,
): readonly string[] {
  if (choice.skills_folder !== undefined) return [choice.skills_folder]
  return [engine.skillsFolder, ...(engine.otherSkillsFolders ?? [])]
}

/**
 * The places of the working folder that belong to the agent, so they are no outputs: `.claude` as a whole, because agents keep their
 * settings there, but only the skills in `.github` and in a folder without a dot.
 */
export function listAgentPlaces(folders: readonly string[]): string[] {
  return folders.map((folder) => {
    const [top = folder] = folder.split('/')
    return top.startsWith('.') && top !== '.github' ? top : folder
  })
}

/** The choice with this folder; unchanged for null. Throws UserError for an engine that looks in its own, and for a path outside. */
export function withSkillsFolder(choice: EngineChoice, folder: string | null): EngineChoice {
  if (folder === null) return choice
  const isFree = (name: string) => findEngine(name).otherSkillsFolders !== undefined
  if (!isFree(choice.name)) {
    const own = choice.name === 'auto' ? '' : `: it looks for skills in ${findEngine(choice.name).skillsFolder}`
    throw new UserError(
      `--skills-folder: not supported by the engine ${choice.name}${own}`,
      `drop it; it is for ${listEngineNames().filter(isFree).join(' and ')}`,
    )
  }
  const clean = folder.replace(/^\.\/+/, '').replace(/\/+$/, '')
  const parts = clean.split('/')
  if (!parts.every((part) => /^[\w.-]+$/.test(part) && !['.', '..', '.git'].includes(part))) {
    throw new UserError(
      `--skills-folder: expected a path below the working folder, got "${folder}"`,
      'write it like .my-agent/skills',
    )
  }
  return { ...choice, skills_folder: clean }
}
