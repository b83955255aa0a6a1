/** improve: proposes better versions of a skill, and keeps one only if it wins on cases that the proposer has not seen. */
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { chooseSandbox, noSandboxWish } from '../../base/sandbox/choose.ts'
import { checkSkillFolder } from '../../phases/1-plan/check/check_skill_folder.ts'
import { requireValidBenchSuite } from '../../phases/1-plan/check/invalid_suite.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { adaptSuiteToBench } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { hashSuite, inspectSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { findFold } from '../../phases/4-report/acceptance/folds.ts'
import { improvePaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { authorizeCommands, readFolderCommands, resolveConfinement, reviewCases } from '../authorize/suite_commands.ts'
import { planBench } from '../bench/bench.ts'
import { findDeadChecks } from '../dead_checks/find_dead_checks.ts'
import type { FlowContext } from '../flow_context.ts'
import { SharedBudgets } from '../limits/budgets.ts'
import { noLimits } from '../limits/limits.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { preflight } from '../prepare/preflight.ts'
import { resolveSkillFolder, resolveSkillWorkspace } from '../prepare/prepare_bench.ts'
import { reachQueue } from '../queue/queue.ts'
import { lockBenchmark, removeEmptyFoldersAtEnd } from '../workspace/benchmark_lock.ts'
import { clearLeftovers } from '../workspace/clear_leftovers.ts'
import { refuseSmallBudget, reserveTestBudget, settleEarlierCosts } from './budget_reserve.ts'
import { finishSession, pauseSession } from './finish.ts'
import type { ImproveRequest } from './improve_request.ts'
import { runImproveRound } from './iteration.ts'
import { chooseProposer } from './propose/proposer.ts'
import { archiveSession } from './session/archive_session.ts'
import {
  countIterations,
  type ImproveSession,
  openHistory,
  openImproveSession,
  recordProgress,
} from './session/session.ts'
import { checkVersions } from './session/version_folders.ts'
import { runBaseline, splitSuite } from './start.ts'
import { findLimitShortage, findStopReason, provableStops } from './stop.ts'
import { StepStopped } from './validate/bench_step.ts'
import { findUnprovenVersion, validateCandidate, validatePending } from './validate/run_validation.ts'

export interface ImproveResult {
  workspace: string
  history: History
  /** The best version's folder, absolute. */
  best: string
}

/** Throws UserError before any paid call, and the abort reason if interrupted. Completed work is kept for --resume. */
export async function improve(request: ImproveRequest, context: FlowContext): Promise<ImproveResult> {
  await clearLeftovers(context)
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)))
  const workspace = resolveSkillWorkspace(request.bench, skill)
  await using _empty = removeEmptyFoldersAtEnd(workspace)
  await using lock = await lockBenchmark(workspace, context)
  const opened = await openHistory(request, skill, { workspace, now: context.now() })
  // a finished session runs nothing, so suite changes do not matter
  if (opened.history.ended_at !== undefined) return toImproveResult(workspace, opened.history)
  if (request.nobodyConfirms === true) {
    throw new UserError(
      '--apply: cannot ask for confirmation (stdin is not a terminal)',
      'add --yes, or apply later: --resume --apply',
    )
  }
  const inspected = await inspectSuite(request.bench.suite ?? skill.path, skill.path)
  const adapted = { ...inspected, suite: adaptSuiteToBench(inspected.suite) }
  const { suite } = requireValidBenchSuite(adapted, {
    skill: await checkSkillFolder(skill.path),
    others: await findDeadChecks(adapted, context.signal),
    allowInvalid: request.bench.allowInvalid ?? false,
  })
  const split = opened.history.split ?? (await splitSuite(request, suite))
  await refuseOtherSuite(split, suite)
  const budgets = new SharedBudgets(request.bench.limits ?? noLimits)
  const history = { ...opened.history, split }
  const trusted = await authorizeSession(request, suite, { skill, context: lock.context })
  const session = openImproveSession({
    request: trusted,
    skill,
    suite,
    workspace,
    history,
    isNew: opened.isNew,
    budgets,
  })
  await runSession(session, lock.context)
  return toImproveResult(workspace, session.history)
}

/** Asks once about the suite's commands: consent covers all versions of the skill in this session. */
async function authorizeSession(
  request: ImproveRequest,
  suite: Suite,
  { skill, context }: { skill: Skill; context: FlowContext },
): Promise<ImproveRequest> {
  const wish = request.bench.sandbox ?? noSandboxWish
  const sandbox = await chooseSandbox(wish, context.env.PATH ?? '')
  const cases = suite.cases.filter(({ cannot_run }) => cannot_run === null)
  const confinement = resolveConfinement(sandbox, wish)
  const loaded = { hashes: [skill.sha256], commands: await readFolderCommands(skill.path, skill.name) }
  await authorizeCommands(reviewCases(suite.path, cases, { skillsOf: () => loaded, confinement }), context)
  return { ...request, bench: { ...request.bench, sandbox: { ...wish, trusted: true } } }
}

function toImproveResult(workspace: string, history: History): ImproveResult {
  return { workspace, history, best: improvePaths(workspace).version(history.current_best) }
}

/** A split is valid only for the suite that it was computed from. */
async function refuseOtherSuite({ suite_sha256 }: NonNullable<History['split']>, suite: Suite): Promise<void> {
  if ((await hashSuite(suite)) === suite_sha256) return
  throw new UserError(
    `${suite.path}: changed since the session was started`,
    'restore it, or start another session in another --workspace',
  )
}

async function runSession(session: ImproveSession, context: FlowContext): Promise<void> {
  try {
    await settleEarlierCosts(session)
    const { proposer, sandbox } = await prepareSession(session, context)
    // nothing refuses the session after this point
    if (session.isNew) await archiveSession(session, context)
    await recordProgress(session, {})
    if (session.history.iterations.length === 0) await runBaseline(session, context)
    for (let why = await findStopReason(session); ; why = await findStopReason(session)) {
      if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
      const open = why !== null && provableStops.has(why.reason) ? findUnprovenVersion(session) : null
      if (why?.reason === 'proposer') return await pauseSession(session, why, context)
      if (why !== null && open === null) return await finishSession(session, why, context)
      await reserveTestBudget(session, context)
      if (open !== null) {
        await validateCandidate(session, open, context)
        continue
      }
      const short = findLimitShortage(session, context)
      if (short !== null) {
        await validatePending(session, short, context)
        continue
      }
      const iteration = countIterations(session) + 1
      await runImproveRound(session, { iteration, proposer, sandbox }, context)
      if ((await findStopReason(session)) === null)
        await session.request.review?.(await findReviewTarget(session, iteration + 1))
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    await stopEarly(session, error, context)
  }
}

/** Out of budget with a winner: runs the test from the reserve. Otherwise --resume continues. */
async function stopEarly(session: ImproveSession, { kind, message }: StepStopped, context: FlowContext): Promise<void> {
  const { current_best, split, ending } = session.history
  const isPoor = kind === 'budget' || kind === 'budget_tokens'
  if (context.drain.aborted) return await pauseSession(session, { reason: 'interrupted', message }, context)
  const hasTest = current_best !== 'v0' && split !== undefined && split.test.length > 0
  if (!isPoor || !hasTest || ending !== undefined)
    return await pauseSession(session, { reason: 'budget', message }, context)
  try {
    await finishSession(session, { reason: 'budget', message }, context)
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    await stopEarly(session, error, context)
  }
}

/** Chooses the proposer and its sandbox; checks that both work before any paid call. */
async function prepareSession(session: ImproveSession, context: FlowContext) {
  const { request, skill } = session
  if (!session.isNew) await checkVersions(session, context)
  const asked = { ...request.bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const prepared = await planBench(asked, context)
  const { plan } = prepared
  await refuseSmallBudget(session, prepared)
  const { engine, judge } = plan.options
  const proposer =
    request.proposer === null ? engine : await chooseProposer(request.proposer, engine, { context, choices: [] })
  const { limits = noLimits, queue = null, passEnv } = request.bench
  await requirePricing(plan.options, limits)
  await requirePricing({ engine: proposer, judge: null }, limits)
  await preflight({ '--model': engine, '--judge': judge, '--proposer': proposer }, passEnv, context)
  if (queue !== null) await reachQueue(queue, context)
  const sandbox = await chooseSandbox(request.bench.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  return { proposer, sandbox }
}

/** The benchmark for the reviewer: the newest with cases for the next proposer. */
async function findReviewTarget({ met, workspace, history }: ImproveSession, iteration: number) {
  const { split } = history
  if (split === undefined) throw new Error(`${workspace}: no split`)
  const { train } = findFold(split, history, iteration)
  for (const { folder } of [...met].reverse()) {
    const cases = (await readPlan(folder)).cases.map(({ eval_id }) => eval_id).filter((id) => train.includes(id))
    if (cases.length > 0) return { folder, cases }
  }
  return { folder: workspace, cases: train }
}
