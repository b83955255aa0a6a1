/** The last steps before the first call of an eval: log, sandbox, engine, judge, limits and workspace. Each may refuse the start. */
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { listFallbackChoices } from '../judge/fallback_judges.ts'
import { noLimits } from '../limits/limits.ts'
import { checkStart, reviewStart, type StartOptions } from '../prepare/check_start.ts'
import { preflight } from '../prepare/preflight.ts'
import { attemptStep, type StartRefusal, throwRefusal } from '../prepare/refusals.ts'
import type { EvalRequest, PreparedEval } from './eval_request.ts'
import { applyCapAsBudget } from './golden/cost_caps.ts'
import { refuseUnloggable } from './golden/golden_log.ts'
import { openPassCache, type PassCache } from './passed_cases.ts'

export interface ReadyEval {
  passes: PassCache
  /** The commands that the suite would start. */
  review: CommandReview
  /** null: every case passed before, so nothing runs. */
  start: { sandbox: SandboxChoice; plan: Plan } | null
}

/** Asks no model. Throws UserError if a required sandbox does not work. */
export async function readyEval(
  prepared: PreparedEval,
  request: EvalRequest,
  { started, refuse = throwRefusal, ...how }: StartOptions & { started: Date },
  context: FlowContext,
): Promise<ReadyEval> {
  await attemptStep(refuse, () => refuseUnloggable(prepared, started))
  const use = request.cache && request.transcripts !== false // a stored pass quotes the answer
  const passes = openPassCache(prepared.plan, { workspace: prepared.workspace, now: started, use }, context)
  const left = { ...prepared, plan: passes.plan }
  if (passes.known.size > 0 && passes.plan.runs.length === 0) {
    const { review } = await reviewStart(left, request, context)
    return { passes, review, start: null }
  }
  const findJudge = () => refuseMissingJudge(passes.plan, request, context)
  const limits = applyCapAsBudget(prepared, request.limits ?? noLimits)
  const { plan, sandbox, review } = await checkStart(
    left,
    { ...request, limits },
    { ...how, refuse, findJudge },
    context,
  )
  return { passes, review, start: { sandbox, plan } }
}

/** Throws the reason why no judge is available; a golden suite lists several judges, and one is enough. */
async function refuseMissingJudge(plan: Plan, request: EvalRequest, context: FlowContext): Promise<void> {
  const { judge, engine } = plan.options
  if (judge === null) return
  const reasons: StartRefusal[] = []
  for (const choice of [judge, ...(await otherJudges(plan, engine, context))]) {
    const before = reasons.length
    await preflight({ '--judge': choice }, request.passEnv, context, (reason) => void reasons.push(reason))
    if (reasons.length === before) return
  }
  const [first, ...others] = reasons
  if (first === undefined || others.length === 0) return first && throwRefusal(first)
  const all = reasons.map(({ message }) => message.replace(/^judge /, '')).join('; ')
  throw new UserError(`no judge available: ${all}`, first.fix, 'no-judge')
}

async function otherJudges(plan: Plan, agent: EngineChoice, { env }: FlowContext): Promise<EngineChoice[]> {
  const golden = plan.cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden] : []))[0]
  return golden === undefined ? [] : await listFallbackChoices(golden.judge, { agent, chosen: plan.options.judge }, env)
}
