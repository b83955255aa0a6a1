/** Who judges a golden test where its judge can't be asked: the next of those that judge.md recommends. */
import type { Golden } from '../../../schemas/golden.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { missingFor } from '../../engines/available.ts'
import { credentialsOf, withBaseUrl } from '../../engines/base_url.ts'
import { resolveJudgeChoice } from '../../engines/models.ts'
import { providerOf } from '../../engines/providers.ts'
import { engineNamed } from '../../engines/table.ts'
import type { Seat } from '../../phases/3-judge/own/ask_plainly.ts'
import type { FlowContext } from '../context.ts'
import type { GradeRequest } from '../grade_stored.ts'

/** In their order, those of another family first; never the agent's own model. None where the judge is not of the list: a flag named it. */
export async function fallbackJudges(
  { judge }: Golden,
  { plan, spec, pace }: Pick<GradeRequest, 'plan' | 'spec' | 'pace'>,
  { env }: Pick<FlowContext, 'env'>,
): Promise<Seat[]> {
  const listed = [...judge.cross_family, ...judge.same_family_fallback].filter((model) => providerOf(model) !== null)
  const choices = listed.map(resolveJudgeChoice)
  const chosen = plan.options.judge
  const at = choices.findIndex((one) => isSame(one, chosen))
  if (chosen === null || at < 0) return []
  const seats: Seat[] = []
  for (const [index, one] of choices.entries()) {
    if (index === at || isSame(one, spec.engine) || (await missingFor(one, env)) !== null) continue
    const choice = one.name === chosen.name ? withBaseUrl(one, chosen.base_url ?? null) : one
    const engine = engineNamed(choice.name)
    seats.push({
      judge: { engine, model: choice.model, command: null, baseUrl: choice.base_url },
      credentials: credentialsOf(engine, choice, env),
      gate: pace.gate(engine, choice),
    })
  }
  return seats
}

function isSame(one: EngineChoice, other: EngineChoice | null): boolean {
  return one.name === other?.name && one.model === other.model
}
