/** Where an engine's agent looks for skills, and --skills-folder for a program of the user's. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/errors/error.ts'
import type { Engine } from './engine.ts'
import { findEngine, listEngineNames } from './table.ts'

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
