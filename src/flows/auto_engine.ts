/** Chooses the engine or the judge where the user named none: the first that can work, and says why. */
import type { EngineChoice } from '../../schemas/plan.ts'
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

export function autoEngine(context: FlowContext): AutoEngine {
  const choose: AutoEngine['choose'] = async (asked, role, choices) => {
    await using room = await openRoom()
    const env = runEnvironment({ user: context.env, home: room.path, mark: room.mark, passEnv: [], hidden: [] })
    const { name, why } = await chooseEngine({ user: context.env, env, signal: context.signal, model: asked.model })
    choices.push(`${role}: ${name} (${why})`)
    return resolveEngineChoice({ engine: name, model: asked.model })
  }
  return {
    choose,
    async judge(text, engine, choices) {
      const named = text === null ? null : resolveJudgeChoice(text)
      if (named !== null) return named.name === 'auto' ? choose(named, 'judge', choices) : named
      if (engine.name === 'command') return choose({ name: 'auto', model: null }, 'judge', choices)
      choices.push(
        `judge: ${engine.name}${engine.model ? `:${engine.model}` : ''} (the engine of the runs; --judge names another)`,
      )
      return { name: engine.name, model: engine.model }
    },
  }
}
