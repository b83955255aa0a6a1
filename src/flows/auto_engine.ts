/** Chooses the engine or the judge where the user named none: the first that can work, and says why. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { openRoom } from '../base/room.ts'
import { chooseEngine } from '../engines/auto.ts'
import {
  crossFamilyJudge,
  familyWarning,
  isJudgeList,
  judgeList,
  judgeName,
  selectJudge,
} from '../engines/judge_choice.ts'
import { resolveEngineChoice, resolveJudgeChoice } from '../engines/models.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import type { FlowContext } from './context.ts'

export interface AutoEngine {
  /** An engine in place of `auto`. Throws UserError when none can work. */
  choose(asked: EngineChoice, role: string, choices: string[]): Promise<EngineChoice>
  /**
   * The judge that --judge names, of a list the first of another family than the agent's that can be asked; where it names none, the
   * engine of the runs if it can judge, else the first that can work. A judge of the agent's own family is warned of among the choices.
   */
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
      const judge = await named(text, engine, choices)
      const warning = familyWarning(judge, engine)
      if (warning !== null) choices.push(await withWayOut(warning, engine))
      return judge
    },
  }

  async function named(text: string | null, engine: EngineChoice, choices: string[]): Promise<EngineChoice> {
    if (text !== null && isJudgeList(text)) {
      const { judge, why } = await selectJudge({
        recommended: judgeList(text, engine),
        agent: engine,
        env: context.env,
      })
      choices.push(`judge: ${judgeName(judge)} (${why})`)
      return judge
    }
    const chosen = text === null ? null : resolveJudgeChoice(text)
    if (chosen !== null) return chosen.name === 'auto' ? choose(chosen, 'judge', choices) : chosen
    if (engine.name === 'command' || engine.name === 'auto')
      return choose({ name: 'auto', model: null }, 'judge', choices)
    choices.push(
      `judge: ${engine.name}${engine.model ? `:${engine.model}` : ''} (the engine of the runs; --judge names another)`,
    )
    return { name: engine.name, model: engine.model }
  }

  async function withWayOut(warning: string, agent: EngineChoice): Promise<string> {
    const other = await crossFamilyJudge(agent, context.env)
    return other === null
      ? `warning: ${warning}; a key of another provider would allow another`
      : `warning: ${warning}; --judge ${judgeName(other)} is of another and can be asked here`
  }
}
