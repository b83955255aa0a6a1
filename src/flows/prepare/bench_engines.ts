/** Chooses engine and judge of a benchmark: from the flags, else from the suite, else the first available. */

import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { withSkillsFolder } from '../../engines/skills_folders.ts'
import type { AutoEngine } from './choose_engine.ts'
import { keepSuiteModel, resolveSuiteModel } from './suite_model.ts'

export interface BenchEnginesRequest {
  /** name[:model] or auto. */
  engine: string
  /** null: the suite's model with auto, else the engine's default. */
  model: string | null
  /** The URL of the engine's server, also for a judge on the same engine; null: the environment's. */
  baseUrl?: string | null
  /** Where a program of the user's looks for skills; null: where known agents look. */
  skillsFolder?: string | null
  /** engine[:model]; null: chosen automatically. */
  judge: string | null
}

export interface BenchEngines {
  engine: EngineChoice
  /** null: no case needs a judge. */
  judge: EngineChoice | null
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
  const engine = withSkillsFolder(chosen, request.skillsFolder ?? null)
  const needsJudge = suite.cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
  if (!needsJudge) return { engine, judge: null, choices }
  const judge = await auto.judge(request.judge, engine, choices)
  return { engine, judge: judge.name === engine.name ? withBaseUrl(judge, url) : judge, choices }
}

/** `auto` stays `auto`. */
function resolveNamedEngine({ engine, model }: BenchEnginesRequest, suite: Suite, choices: string[]): EngineChoice {
  const suiteModel = model === null ? (suite.defaults?.model ?? null) : null
  if (engine === 'auto' && suiteModel !== null)
    return resolveSuiteModel(suiteModel, suite.defaults?.model_file ?? suite.path)
  return resolveEngineChoice({ engine, model: model ?? keepSuiteModel(engine, suiteModel, choices) })
}
