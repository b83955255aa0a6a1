/** --effort: how hard a model thinks, as part of the engine's choice. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { findEngine, listEngineNames } from '../table.ts'

/** The choice with this level; unchanged for null. Throws UserError for an engine without levels, and for a level that it lacks. */
export function withEffort(choice: EngineChoice, effort: string | null, flag: string): EngineChoice {
  if (effort === null) return choice
  // `auto` stays only in a dry run where no engine is available, which is already reported
  const levels = choice.name === 'auto' ? [effort] : (findEngine(choice.name).efforts?.(choice.model) ?? [])
  if (levels.length === 0) {
    const able = listEngineNames().filter((name) => findEngine(name).efforts !== undefined)
    const name = [choice.name, choice.command].filter(Boolean).join(':')
    throw new UserError(`${flag}: not supported by the engine ${name}`, `supported by ${able.join(', ')}`)
  }
  if (levels.includes(effort)) return { ...choice, effort }
  const name = [choice.name, choice.model].filter(Boolean).join(':')
  throw new UserError(`${flag}: ${name} has no level ${JSON.stringify(effort)}`, suggestLevel(effort, levels))
}

/** The near ones and the whole list: it is short, and a level of another engine is near to none. */
function suggestLevel(effort: string, levels: readonly string[]): string {
  const near = suggestChoice(effort, levels)
  const all = `expected one of ${levels.join(', ')}`
  return near === all ? all : `${near} (${all})`
}
