/** Chooses the engine or the judge where the user named none: the first that can work, and says why. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { openRoom } from '../base/room.ts'
import { chooseEngine } from '../engines/auto.ts'
import { resolveEngineChoice, resolveJudgeChoice } from '../engines/models.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import type { FlowContext } from './context.ts'

export interface AutoEngine {
  /** An engine in place of `auto`. Throws UserError when none can work. */
  choose(asked: EngineChoice, role: string, choices: string[]): Promise<EngineChoice>
  /** The judge that --judge names; where it names none, the engine of the runs if it can judge, else the first that can work. */
  judge(text: string | null, engine: EngineChoice, choices: string[]): Promise<EngineChoice>
}

/** `lenient` (for --dry-run): where none can work, the choice stays `auto` and the reason is among the choices. */
export function autoEngine(context: FlowContext, lenient = false): AutoEngine {
  const choose: AutoEngine['choose'] = async (asked, role, choices) => {
    await using room = await openRoom()
    const env = runEnvironment({ user: context.env, home: room.path, mark: room.mark, passEnv: [], hidden: [] })
    const request = { user: context.env, env, signal: context.signal, model: asked.model }
    const chosen = await chooseEngine(request).catch((error: unknown) => {
      if (!lenient || !(error instanceof UserError)) throw error
      choices.push(`${role}: ${error.message}`)
      return null
    })
    if (chosen === null) return asked
    choices.push(`${role}: ${chosen.name} (${chosen.why})`)
    return resolveEngineChoice({ engine: chosen.name, model: asked.model })
  }
  return {
    choose,
    async judge(text, engine, choices) {
      const named = text === null ? null : resolveJudgeChoice(text)
      if (named !== null) return named.name === 'auto' ? choose(named, 'judge', choices) : named
      if (engine.name === 'command' || engine.name === 'auto')
        return choose({ name: 'auto', model: null }, 'judge', choices)
      choices.push(
        `judge: ${engine.name}${engine.model ? `:${engine.model}` : ''} (the engine of the runs; --judge names another)`,
      )
      return { name: engine.name, model: engine.model }
    },
  }
}
