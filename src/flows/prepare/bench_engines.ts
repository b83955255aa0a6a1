/** Chooses engine and judge of a benchmark: from the flags, else from the suite, else the first available. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { sharesServer, withBaseUrl } from '../../engines/models/base_url.ts'
import { withEffort } from '../../engines/models/effort.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { withSkillsFolder } from '../../engines/skills_folders.ts'
import { needsUserModel } from '../../phases/1-plan/plan/plan_conversation.ts'
import type { AutoEngine } from './choose_engine.ts'
import type { JudgingWish } from './judge_settings.ts'
import { keepSuiteModel, resolveSuiteModel } from './suite_model.ts'

export interface BenchEnginesRequest {
  /** name[:model] or auto. */
  engine: string
  /** null: the suite's model with auto, else the engine's default. */
  model: string | null
  /** The URL of the engine's server, also for a judge on the same engine; null: the environment's. */
  baseUrl?: string | null
  /** How hard the agent's model thinks; absent or null: the engine's default. */
  effort?: string | null
  /** Where a program of the user's looks for skills; null: where known agents look. */
  skillsFolder?: string | null
  /** engine[:model]; null: chosen automatically. */
  judge: string | null
  /** Plays the user and decides conditions, engine[:model]; absent or null: the judge. */
  user?: string | null
  judging?: JudgingWish
}

export interface BenchEngines {
  engine: EngineChoice
  /** null: no case needs a judge. */
  judge: EngineChoice | null
  /** Absent: no case needs one. */
  user?: EngineChoice
  /** Why they were chosen, unless the user named them. */
  choices: string[]
}

/** Throws UserError for an unknown or ambiguous engine or model. */
export async function chooseBenchEngines(
  request: BenchEnginesRequest,
  suite: Suite,
  auto: AutoEngine,
): Promise<BenchEngines> {
  const choices: string[] = []
  const url = request.baseUrl ?? null
  const named = withBaseUrl(resolveNamedEngine(request, suite, choices), url)
  const chosen = named.name === 'auto' ? await auto.choose(named, 'engine', choices) : named
  const reached = withEffort(chosen, request.effort ?? null, '--effort')
  const engine = withSkillsFolder(reached, request.skillsFolder ?? null)
  const atServer = (choice: EngineChoice) => (sharesServer(choice, engine) ? withBaseUrl(choice, url) : choice)
  const namedJudge = needsJudge(suite) ? atServer(await auto.judge(request.judge, engine, choices)) : null
  const judge = namedJudge && withEffort(namedJudge, request.judging?.effort ?? null, '--judge-effort')
  const user = await chooseUserModel(request, suite, (text) => auto.user(text, engine, choices), judge)
  return { engine, judge, ...(user && { user: atServer(user) }), choices }
}

/** Whether a case has a statement that a judge decides. */
export function needsJudge({ cases }: Pick<Suite, 'cases'>): boolean {
  return cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
}

/** Plays the user and decides conditions: the one in --user, else the judge. null: no case needs one. */
async function chooseUserModel(
  { user = null }: Pick<BenchEnginesRequest, 'user'>,
  { cases }: Pick<Suite, 'cases'>,
  choose: (text: string | null) => Promise<EngineChoice>,
  judge: EngineChoice | null,
): Promise<EngineChoice | null> {
  if (!cases.some((one) => one.cannot_run === null && needsUserModel(one))) return null
  return user === null && judge !== null ? judge : await choose(user)
}

/** `auto` stays `auto`. */
function resolveNamedEngine({ engine, model }: BenchEnginesRequest, suite: Suite, choices: string[]): EngineChoice {
  const suiteModel = model === null ? (suite.defaults?.model ?? null) : null
  if (engine === 'auto' && suiteModel !== null)
    return resolveSuiteModel(suiteModel, suite.defaults?.model_file ?? suite.path)
  return resolveEngineChoice({ engine, model: model ?? keepSuiteModel(engine, suiteModel, choices) })
}
