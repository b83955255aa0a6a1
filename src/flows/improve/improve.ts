/** improve: proposes better versions of a skill, and keeps one only where it wins on cases that its author has not seen. */
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { reapRooms } from '../../base/room.ts'
import { chooseSandbox, noWish } from '../../base/sandbox/choose.ts'
import { forBench } from '../../phases/1-plan/for_bench.ts'
import { hashSuite, loadSuite } from '../../phases/1-plan/load.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { foldOf } from '../../phases/4-report/accept/turns.ts'
import { improvePaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { planBench } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { holdBenchmark, leavesNoEmpty } from '../hold.ts'
import { noLimits } from '../limits.ts'
import { preflight } from '../preflight.ts'
import { skillFolder, workspaceOf } from '../prepare.ts'
import { Purses } from '../purses.ts'
import { reachQueue } from '../queue/open_remote.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { putAside } from './aside.ts'
import { StepStopped } from './bench_step.ts'
import { finish, pause } from './finish.ts'
import { checkLaid } from './laid.ts'
import { chooseProposer } from './proposer.ts'
import type { ImproveRequest } from './request.ts'
import { keepReserve, refuseTooSmall, settleBefore } from './reserve.ts'
import { runRound } from './round.ts'
import { iterationsDone, openHistory, openSession, record, type Session } from './session.ts'
import { baseline, splitOf } from './start.ts'
import { mayProve, shortage, stopOf } from './stop.ts'
import { prove, proveInstead, unproven } from './validate.ts'

export interface ImproveResult {
  workspace: string
  history: History
  /** The folder of the best version, absolute. */
  best: string
}

/** Throws UserError before anything was paid for, the abort reason when cut short. What is finished is kept for --resume. */
export async function improve(request: ImproveRequest, context: FlowContext): Promise<ImproveResult> {
  await reapRooms()
  const { skill } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const workspace = workspaceOf(request.bench, skill)
  await using _empty = leavesNoEmpty(workspace)
  await using held = await holdBenchmark(workspace, context)
  const opened = await openHistory(request, skill, { workspace, now: context.now() })
  // nothing is run any more: what the suite is by now does not matter
  if (opened.history.ended_at !== undefined) return resultOf(workspace, opened.history)
  if (request.nobodyConfirms === true) {
    throw new UserError(
      '--apply: nobody is there to confirm it',
      'give --yes as well, or apply later: --resume --apply',
    )
  }
  const suite = forBench(await loadSuite(request.bench.suite ?? skill.path, skill.path))
  const split = opened.history.split ?? (await splitOf(request, suite))
  await refuseOtherSuite(split, suite)
  const purses = new Purses(request.bench.limits ?? noLimits)
  const history = { ...opened.history, split }
  const session = openSession({ request, skill, suite, workspace, history, isNew: opened.isNew, purses })
  await work(session, held.context)
  return resultOf(workspace, session.history)
}

function resultOf(workspace: string, history: History): ImproveResult {
  return { workspace, history, best: improvePaths(workspace).version(history.current_best) }
}

/** A split holds for the suite that it was made of. */
async function refuseOtherSuite({ suite_sha256 }: NonNullable<History['split']>, suite: Suite): Promise<void> {
  if ((await hashSuite(suite)) === suite_sha256) return
  throw new UserError(
    `${suite.path}: it has changed since the session was started`,
    'put it back, or start another session in another --workspace',
  )
}

async function work(session: Session, context: FlowContext): Promise<void> {
  try {
    await settleBefore(session)
    const { proposer, sandbox } = await ready(session, context)
    // from here on nothing refuses the session any more
    if (session.isNew) await putAside(session, context)
    await record(session, {})
    if (session.history.iterations.length === 0) await baseline(session, context)
    for (let why = await stopOf(session); ; why = await stopOf(session)) {
      if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
      const open = why !== null && mayProve.has(why.reason) ? unproven(session) : null
      if (why?.reason === 'proposer') return await pause(session, why, context)
      if (why !== null && open === null) return await finish(session, why, context)
      await keepReserve(session, context)
      if (open !== null) {
        await prove(session, open, context)
        continue
      }
      const short = shortage(session, context)
      if (short !== null) {
        await proveInstead(session, short, context)
        continue
      }
      const iteration = iterationsDone(session) + 1
      await runRound(session, { iteration, proposer, sandbox }, context)
      if ((await stopOf(session)) === null) await session.request.review?.(await toReview(session, iteration + 1))
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    await stopEarly(session, error, context)
  }
}

/** Out of money with something to show: the test is made of what was kept for it. Else a resume goes on. */
async function stopEarly(session: Session, { kind, message }: StepStopped, context: FlowContext): Promise<void> {
  const { current_best, split, ending } = session.history
  const isPoor = kind === 'budget' || kind === 'budget_tokens'
  if (context.drain.aborted) return await pause(session, { reason: 'interrupted', message }, context)
  const hasTest = current_best !== 'v0' && split !== undefined && split.test.length > 0
  if (!isPoor || !hasTest || ending !== undefined) return await pause(session, { reason: 'budget', message }, context)
  try {
    await finish(session, { reason: 'budget', message }, context)
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    await stopEarly(session, error, context)
  }
}

/** Who proposes, and what confines it; asked whether they can work before anything is paid for. */
async function ready(session: Session, context: FlowContext) {
  const { request, skill } = session
  if (!session.isNew) await checkLaid(session, context)
  const asked = { ...request.bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const prepared = await planBench(asked, context)
  const { plan } = prepared
  await refuseTooSmall(session, prepared)
  const { engine, judge } = plan.options
  const proposer =
    request.proposer === null ? engine : await chooseProposer(request.proposer, engine, { context, choices: [] })
  const { limits = noLimits, queue = null, passEnv } = request.bench
  await refuseUnpriced(plan.options, limits)
  await refuseUnpriced({ engine: proposer, judge: null }, limits)
  await preflight({ '--model': engine, '--judge': judge, '--proposer': proposer }, passEnv, context)
  if (queue !== null) await reachQueue(queue, context)
  const sandbox = await chooseSandbox(request.bench.sandbox ?? noWish, context.env.PATH ?? '')
  return { proposer, sandbox }
}

/** What a reviewer looks at: the newest benchmark that has cases of the next proposer. */
async function toReview({ met, workspace, history }: Session, iteration: number) {
  const { split } = history
  if (split === undefined) throw new Error(`${workspace}: no split`)
  const { train } = foldOf(split, history, iteration)
  for (const { folder } of [...met].reverse()) {
    const cases = (await readPlan(folder)).cases.map(({ eval_id }) => eval_id).filter((id) => train.includes(id))
    if (cases.length > 0) return { folder, cases }
  }
  return { folder: workspace, cases: train }
}
