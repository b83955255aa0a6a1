/** Checks everything that a session needs before it pays: the suite, the engine, the proposer, the judges, prices and the machines of the runs. */
import type { Activation, EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { chooseSandbox, noSandboxWish, type SandboxChoice } from '../../base/sandbox/choose.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { leastRuns, usefulRuns } from '../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../flow_context.ts'
import { noLimits } from '../limits/limits.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { createAutoEngine } from '../prepare/choose_engine.ts'
import { preflight } from '../prepare/preflight.ts'
import { loadVersionsSuite, planEveryCase, refuseStrayFiles } from '../versions/check_versions_start.ts'
import { type CertifyJudge, certifyJudgeText, chooseCertifyJudge, refuseOtherJudge } from './certify/certify_judge.ts'
import type { ImproveRequest } from './improve_request.ts'
import { chooseProposer } from './propose/proposer.ts'
import { checkVersions, emitImproveStep, type ImproveSession } from './session/session.ts'
import { refuseSmallBudget } from './session_budget.ts'

/** Everything that works on versions: the proposer, and the judges of search and certification. */
export interface SessionCrew {
  proposer: EngineChoice
  /** answer: it has no tools, as the runs of the same engine have none, or because its server says that it can't call them. */
  proposerActivation: Activation
  sandbox: SandboxChoice
  /** null: checks decide everything. */
  judge: EngineChoice | null
  certifier: CertifyJudge
  /** Every case with the skill and without it, once. */
  suitePlan: Plan
}

/** Throws UserError for a suite whose runs could not count. */
export async function loadSessionSuite(request: ImproveRequest, skill: Skill, context: FlowContext): Promise<Suite> {
  if (request.totalRuns < leastRuns) {
    throw new UserError(
      `--total-runs ${request.totalRuns}: too few to search and to certify`,
      `use ${leastRuns} or more; ${usefulRuns} or more show gains of 20 points in most sessions`,
    )
  }
  return loadVersionsSuite(request.bench, skill, context)
}

/** Chooses the proposer and the judge of the certification, and checks that all work, before any paid call. */
export async function prepareSession(session: ImproveSession, context: FlowContext): Promise<SessionCrew> {
  const { request, skill } = session
  if (!session.isNew) await checkVersions(session, context)
  const prepared = await planEveryCase(request.bench, skill, context)
  await refuseSmallBudget(session, prepared)
  const { plan } = prepared
  const { engine, judge } = plan.options
  const proposer =
    request.proposer === null ? engine : await chooseProposer(request.proposer, engine, { context, choices: [] })
  const isLikeRuns = proposer.name === engine.name && plan.options.activation === 'answer'
  const proposerActivation = await createAutoEngine(context).activation(isLikeRuns ? 'answer' : null, proposer, [])
  const certifier = await chooseCertifyJudge(request.certifyJudge, judge, context)
  refuseUncheckedCases(session, { judge, certifier })
  refuseOtherJudge(session.history.certify_judge, certifier)
  const confirmers = request.confirmOn.map(resolveConfirmer)
  const { limits = noLimits, remote, passEnv } = request.bench
  await refuseStrayFiles([engine, ...confirmers])
  await requirePricing(plan.options, limits, context)
  await requirePricing({ engine: proposer, judge: certifier.choice }, limits, context)
  for (const one of confirmers) await requirePricing({ engine: one, judge: null }, limits, context)
  await preflight(
    { '--model': engine, '--judge': judge, '--proposer': proposer, '--certify-judge': certifier.choice },
    passEnv,
    context,
  )
  for (const one of confirmers) await preflight({ '--confirm-on': one }, passEnv, context)
  await remote?.reach(context)
  for (const message of prepared.choices) {
    emitImproveStep(context, { round: 0, step: 'session', version: null, message })
  }
  if (!session.history.certification) {
    emitImproveStep(context, { round: 0, step: 'session', version: null, message: certifyJudgeText(certifier) })
  }
  const sandbox = await chooseSandbox(request.bench.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  return { proposer, proposerActivation, sandbox, judge, certifier, suitePlan: plan }
}

/** Checks alone are to decide, and there is none. */
function refuseUncheckedCases(
  { suite, split }: ImproveSession,
  { judge, certifier }: Pick<SessionCrew, 'judge' | 'certifier'>,
): void {
  if (judge === null || certifier.kind !== 'code') return
  if (suite.cases.some(({ eval_id, checks }) => checks.length > 0 && split.held_out.includes(eval_id))) return
  throw new UserError(
    '--certify-judge none: no held-out case has a check, so nothing could decide',
    'add checks to the cases, or name another judge',
  )
}

function resolveConfirmer(text: string): EngineChoice {
  try {
    return resolveEngineChoice({ engine: text, model: null })
  } catch (error) {
    throw error instanceof UserError ? new UserError(`--confirm-on: ${error.message}`, error.fix) : error
  }
}
