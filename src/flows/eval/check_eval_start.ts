/** The last steps before the first call of an eval: log, sandbox, engine, judge, limits and workspace. Each may refuse the start. */
import type { Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { type FormatSteps, loadFormatSteps, type PassCache } from '../format_steps.ts'
import { noLimits } from '../limits/limits.ts'
import { checkStart, reviewStart, type StartOptions } from '../prepare/check_start.ts'
import { attemptStep, preflight, type StartRefusal, throwRefusal } from '../prepare/preflight.ts'
import type { EvalRequest, PreparedEval } from './eval_request.ts'

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
  const steps = await loadFormatSteps(prepared.plan.suite.format)
  await attemptStep(refuse, () => steps.refuseUnloggable?.(prepared, started))
  const use = request.cache && request.transcripts !== false // a stored pass quotes the answer
  const { plan: whole, workspace } = prepared
  const none: PassCache = { plan: whole, known: new Map(), keep: async () => {} }
  const passes = steps.openPassCache?.(whole, { workspace, now: started, use }, context) ?? none
  const left = { ...prepared, plan: passes.plan }
  if (passes.known.size > 0 && passes.plan.runs.length === 0) {
    const { review } = await reviewStart(left, request, context)
    return { passes, review, start: null }
  }
  const findJudge = () => refuseMissingJudge(passes.plan, { request, steps }, context)
  const asked = request.limits ?? noLimits
  const limits = steps.applyCapAsBudget?.(prepared, asked) ?? asked
  const { plan, sandbox, review } = await checkStart(
    left,
    { ...request, limits },
    { ...how, refuse, findJudge },
    context,
  )
  return { passes, review, start: { sandbox, plan } }
}

/** Throws the reason why no judge is available; of several that a suite names, one is enough. */
async function refuseMissingJudge(
  plan: Plan,
  { request, steps }: { request: EvalRequest; steps: FormatSteps },
  context: FlowContext,
): Promise<void> {
  const { judge, engine } = plan.options
  if (judge === null) return
  const reasons: StartRefusal[] = []
  const others = await steps.listFallbackJudges?.(plan.cases, { agent: engine, chosen: judge }, context.env)
  for (const choice of [judge, ...(others ?? [])]) {
    const before = reasons.length
    await preflight({ '--judge': choice }, request.passEnv, context, (reason) => void reasons.push(reason))
    if (reasons.length === before) return
  }
  const [first, ...more] = reasons
  if (first === undefined || more.length === 0) return first && throwRefusal(first)
  const all = reasons.map(({ message }) => message.replace(/^judge /, '')).join('; ')
  throw new UserError(`no judge available: ${all}`, first.fix, 'no-judge')
}
