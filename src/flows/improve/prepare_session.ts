/** Checks everything that a session needs before it pays: the suite, the engine, the proposer, the judges, prices and the machines of the runs. */
import type { Activation, EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { chooseSandbox, noSandboxWish, type SandboxChoice } from '../../base/sandbox/choose.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { findEngine } from '../../engines/table.ts'
import { checkSkillFolder } from '../../phases/1-plan/check/check_skill_folder.ts'
import { requireValidBenchSuite } from '../../phases/1-plan/check/invalid_suite.ts'
import { adaptSuiteToBench } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { inspectSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { leastRuns, usefulRuns } from '../../phases/5-improve/search/plan_session.ts'
import { planBench } from '../bench/bench.ts'
import { findDeadChecks } from '../dead_checks/find_dead_checks.ts'
import type { FlowContext } from '../flow_context.ts'
import { noLimits } from '../limits/limits.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { refuseStrayInstructions } from '../prepare/check_start.ts'
import { createAutoEngine } from '../prepare/choose_engine.ts'
import { preflight, throwRefusal } from '../prepare/preflight.ts'
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
  const inspected = await inspectSuite(request.bench.suite ?? skill.path, skill.path)
  const adapted = { ...inspected, suite: adaptSuiteToBench(inspected.suite) }
  const { suite } = requireValidBenchSuite(adapted, {
    skill: await checkSkillFolder(skill.path),
    others: await findDeadChecks(adapted, context.signal),
    allowInvalid: request.bench.allowInvalid ?? false,
  })
  return suite
}

/** Chooses the proposer and the judge of the certification, and checks that all work, before any paid call. */
export async function prepareSession(session: ImproveSession, context: FlowContext): Promise<SessionCrew> {
  const { request, skill } = session
  if (!session.isNew) await checkVersions(session, context)
  const asked = { ...request.bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const prepared = await planBench(asked, context, throwRefusal)
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

/** The benchmarks of the session would refuse them only after its start. */
async function refuseStrayFiles(engines: readonly EngineChoice[]): Promise<void> {
  if (engines.every(({ name }) => name === 'auto' || findEngine(name).readsAbove === false)) return
  await using scratch = await openTempDir()
  await refuseStrayInstructions(scratch.path)
}
