/** Chooses an engine or judge if the user named none: the first available, with the reason. Sets how a judge is asked. */
import type { Activation, EngineChoice, PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { stopAtRead } from '../../engines/answers/skill_read.ts'
import type { Engine } from '../../engines/engine.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { chooseAutoEngine } from '../../engines/models/first_available.ts'
import {
  familyWarning,
  findCrossFamilyJudge,
  isJudgeList,
  judgeName,
  parseJudgeList,
  resolveJudge,
  selectJudge,
} from '../../engines/models/judge_choice.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { findEngine, nameEngines, takesCommand } from '../../engines/table.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import type { FlowContext } from '../flow_context.ts'
import { type OnRefusal, throwRefusal } from './preflight.ts'

export interface AutoEngine {
  /** Replaces `auto` with an engine. Throws UserError when none is available. */
  choose(asked: EngineChoice, role: string, choices: string[]): Promise<EngineChoice>
  /**
   * The judge in --judge; from a list, the first available one of another family than the agent's. Without --judge: the engine of the runs
   * if it can judge, else the first available. Adds a warning to `choices` if the judge is from the agent's own family.
   */
  judge(text: string | null, engine: EngineChoice, choices: string[]): Promise<EngineChoice>
  /** The model in --user that plays the user; without it the judge that would be chosen. */
  user(text: string | null, engine: EngineChoice, choices: string[]): Promise<EngineChoice>
  /** As asked, else natural, or answer where the server says that the model can't call tools. Throws UserError where the engine can't. */
  activation(asked: Activation | null, engine: EngineChoice, choices: string[]): Promise<Activation>
}

function toJudgeFix(fix: string | null): string {
  if (fix?.startsWith('add --engine')) return fix.replace('--engine', '--judge')
  return 'set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a judge with --judge engine[:model]'
}

/** If none is available, `refuse` gets the reason; if it returns, the choice stays `auto` and `choices` gets the reason. */
export function createAutoEngine(context: FlowContext, refuse: OnRefusal = throwRefusal): AutoEngine {
  const choose: AutoEngine['choose'] = async (asked, role, choices) => {
    await using tempDir = await openTempDir()
    const env = buildRunEnvironment({
      user: context.env,
      home: tempDir.path,
      mark: tempDir.mark,
      passEnv: [],
      hidden: [],
    })
    const request = { user: context.env, env, signal: context.signal, model: asked.model }
    const chosen = await chooseAutoEngine(request).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error
      refuse(role === 'judge' ? new UserError(`judge: ${error.message}`, toJudgeFix(error.fix), error.code) : error)
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
    user: (text, engine, choices) => named(text, engine, choices, 'user'),
    async activation(asked, choice, choices) {
      if (choice.name === 'auto') return asked ?? 'natural'
      const engine = findEngine(choice.name)
      if (asked === 'answer' && engine.lacksTools === undefined) {
        const able = nameEngines('or', ({ lacksTools }) => lacksTools !== undefined)
        throw new UserError(
          `--activation answer: the agent of ${engine.name} always has its tools`,
          `choose --engine ${able}`,
        )
      }
      const credentials = selectCredentials(engine, choice, context.env)
      if (asked !== null || !(await engine.lacksTools?.({ ...choice, credentials }))) return asked ?? 'natural'
      choices.push('activation: answer (the server says that this model cannot call tools; --activation names another)')
      return 'answer'
    },
  }

  async function named(
    text: string | null,
    engine: EngineChoice,
    choices: string[],
    role = 'judge',
  ): Promise<EngineChoice> {
    if (text !== null && isJudgeList(text)) {
      const { judge, why } = await selectJudge({
        recommended: await parseJudgeList(text, engine, context.env),
        agent: engine,
        env: context.env,
      })
      choices.push(`${role}: ${judgeName(judge)} (${why})`)
      return judge
    }
    const chosen = text === null ? null : await resolveJudge(text, engine, context.env)
    if (chosen !== null) return chosen.name === 'auto' ? choose(chosen, role, choices) : chosen
    if (takesCommand(engine.name) || engine.name === 'auto') return choose({ name: 'auto', model: null }, role, choices)
    choices.push(
      `${role}: ${engine.name}${engine.model ? `:${engine.model}` : ''} (the engine of the runs; --${role} names another)`,
    )
    return { name: engine.name, model: engine.model }
  }

  async function withWayOut(warning: string, agent: EngineChoice): Promise<string> {
    const other = await findCrossFamilyJudge(agent, context.env)
    return other === null
      ? `warning: ${warning}; set a key of another provider to use a judge of another family`
      : `warning: ${warning}; --judge ${judgeName(other)} is from another family and is available here`
  }
}

export function resolveRunEngine(spec: RunSpec): Engine {
  const engine = findEngine(spec.engine.name)
  if (spec.stop_at === undefined || spec.skill === null) return engine
  return stopAtRead(engine, spec.stop_at === 'any_skill_read' ? null : spec.skill.name)
}

/** null: as planned, else the default (once; flagged). */
export interface JudgingWish {
  samples: number | null
  requireEvidence: boolean | null
  /** How hard the judge thinks; absent: as planned, else its default. */
  effort?: string | null
}

type Judging = Pick<PlanOptions, 'judge_samples' | 'require_evidence'>

/** The options of a plan; omits defaults. */
export function resolveJudgingOptions(wish: JudgingWish | undefined, planned: Judging = {}): Judging {
  const samples = wish?.samples ?? planned.judge_samples ?? 1
  const isRequired = wish?.requireEvidence ?? planned.require_evidence ?? false
  return { judge_samples: samples > 1 ? samples : undefined, require_evidence: isRequired ? true : undefined }
}
