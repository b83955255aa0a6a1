/** Finds a replacement for a golden test's unavailable judge: the next one that judge.md recommends. */
import type { Golden } from '../../../schemas/golden.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { findMissingRequirement } from '../../engines/models/availability.ts'
import { selectCredentials, sharesServer, withBaseUrl } from '../../engines/models/base_url.ts'
import { resolveJudge } from '../../engines/models/judge_choice.ts'
import { guessJudgeEngine } from '../../engines/models/model_family.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import type { JudgeAccess } from '../../phases/3-judge/judge_request.ts'
import type { FlowContext } from '../flow_context.ts'
import type { RateLimitedWork } from '../limits/rate_limiters.ts'
import type { GradeRequest } from './grade_request.ts'
import { toJudgeChoice } from './judge_of_choice.ts'

/** The suite without fallback judges: a judge that the user named by a flag is never replaced. */
export function withoutFallbackJudges(suite: Suite): Suite {
  const cases = suite.cases.map((one) => {
    if (one.judging?.kind !== 'golden') return one
    const { golden } = one.judging
    const judge = { ...golden.judge, cross_family: [], same_family_fallback: [] }
    return { ...one, judging: { ...one.judging, golden: { ...golden, judge } } }
  })
  return { ...suite, cases }
}

/** In list order, other model families first; never the agent's own model. */
export async function resolveFallbackJudges(
  { judge }: Golden,
  { plan, spec, work }: Pick<GradeRequest, 'plan' | 'spec'> & { work: RateLimitedWork },
  { env, prices }: Pick<FlowContext, 'env' | 'prices'>,
): Promise<JudgeAccess[]> {
  const choices = await listFallbackChoices(judge, { agent: spec.engine, chosen: plan.options.judge }, env)
  return choices.map((choice) => {
    const engine = withUserPrices(findEngine(choice.name), prices)
    return {
      judge: toJudgeChoice(engine, choice),
      credentials: selectCredentials(engine, choice, env),
      gate: work.gate(engine, choice),
    }
  })
}

/** The judges as engine choices. */
export async function listFallbackChoices(
  judge: Golden['judge'],
  { agent, chosen }: { agent: EngineChoice; chosen: EngineChoice | null },
  env: FlowContext['env'],
): Promise<EngineChoice[]> {
  const all = [...judge.cross_family, ...judge.same_family_fallback]
  const listed = all.filter((model) => guessJudgeEngine(model) !== null)
  const choices: EngineChoice[] = []
  for (const model of listed) choices.push(await resolveJudge(model, agent, env))
  const at = choices.findIndex((one) => isSame(one, chosen))
  if (chosen === null || at < 0) return []
  const able: EngineChoice[] = []
  for (const [index, one] of choices.entries()) {
    if (index === at || isSame(one, agent) || (await findMissingRequirement(one, env)) !== null) continue
    able.push(sharesServer(one, chosen) ? withBaseUrl(one, chosen.base_url ?? null) : one)
  }
  return able
}

function isSame(one: EngineChoice, other: EngineChoice | null): boolean {
  return one.name === other?.name && one.model === other.model
}
