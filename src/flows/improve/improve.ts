/** improve: proposes better versions of a skill, and keeps one only where it wins on cases that its author has not seen. */
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
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
import { autoEngine } from '../auto_engine.ts'
import { planBench } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { holdBenchmark } from '../hold.ts'
import { noLimits } from '../limits.ts'
import { preflight } from '../preflight.ts'
import { skillFolder, workspaceOf } from '../prepare.ts'
import { Purses } from '../purses.ts'
import { StepStopped } from './bench_step.ts'
import { finish, pause } from './finish.ts'
import { isStalled } from './memory.ts'
import type { ImproveRequest } from './request.ts'
import { keepReserve, refuseTooSmall, reserveText, settleBefore, tooDear } from './reserve.ts'
import { runRound } from './round.ts'
import { iterationsDone, openHistory, openSession, record, type Session } from './session.ts'
import { baseline, splitOf } from './start.ts'
import { failureClasses, seenRuns } from './training.ts'
import { prove, unproven } from './validate.ts'

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
  const suite = forBench(await loadSuite(request.bench.suite ?? skill.path, skill.path))
  await using held = await holdBenchmark(workspace, context)
  const opened = await openHistory(request, skill, { workspace, now: context.now() })
  const split = opened.split ?? (await splitOf(request, suite))
  await refuseOtherSuite(split, suite)
  const purses = new Purses(request.bench.limits ?? noLimits)
  const session = openSession({ request, skill, suite, workspace, history: { ...opened, split }, purses })
  if (opened.ended_at === undefined) await work(session, held.context)
  return { workspace, history: session.history, best: improvePaths(workspace).version(session.history.current_best) }
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
    await record(session, {})
    if (session.history.iterations.length === 0) await baseline(session, context)
    for (let why = await stopOf(session); ; why = await stopOf(session)) {
      if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
      const open = why !== null && mayProve.has(why.reason) ? unproven(session) : null
      if (why !== null && open === null) return await finish(session, why, context)
      await keepReserve(session, context)
      if (open !== null) {
        await prove(session, open, context)
        continue
      }
      refuseOver(session, context)
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
  const asked = { ...request.bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const prepared = await planBench(asked, context)
  const { plan } = prepared
  await refuseTooSmall(session, prepared)
  const proposer: EngineChoice =
    request.proposer === null
      ? plan.options.engine
      : await autoEngine(context, false).judge(request.proposer, plan.options.engine, [])
  await preflight([proposer], request.bench.passEnv, context)
  const sandbox = await chooseSandbox(request.bench.sandbox ?? noWish, context.env.PATH ?? '')
  return { proposer, sandbox }
}

/** Ends at which a version may still be open that was worked on further. */
const mayProve: ReadonlySet<string> = new Set(['iterations', 'plateau'])

type Why = Pick<NonNullable<History['stopped']>, 'reason' | 'message'>

/** null: there is something to do. */
async function stopOf(session: Session): Promise<Why | null> {
  const { history, request } = session
  const { headroom, split, ending } = history
  if (ending !== undefined) return ending
  if (headroom !== undefined && headroom.room <= 1e-9)
    return { reason: 'solved', message: 'v0 meets every expectation: nothing is left to gain' }
  if (headroom !== undefined && !headroom.enough) return { reason: 'no_headroom', message: headroom.message }
  const done = iterationsDone(session)
  const best = history.iterations.find(({ version }) => version === history.current_best)
  if (split !== undefined && best?.gate?.stage === 'validation' && best.gate.candidate_mean >= 1 - 1e-9) {
    const seen = await seenRuns(session, { versions: [best.version], cases: foldOf(split, history, done + 1).train })
    if (failureClasses(seen).length === 0)
      return { reason: 'solved', message: `${best.version} meets every expectation` }
  }
  if (done >= request.iterations)
    return { reason: 'iterations', message: `all ${request.iterations} iterations are made` }
  if (isStalled(history)) return { reason: 'plateau', message: 'the last proposals came to nothing: a plateau' }
  return null
}

/** Throws StepStopped where a limit allows no further proposal. */
function refuseOver(session: Session, context: FlowContext): void {
  const { deadline } = session.request.bench.limits ?? noLimits
  if (deadline !== null && context.now() >= deadline) {
    throw new StepStopped(`stopped by the deadline ${deadline.toISOString()}`, 'deadline')
  }
  const kind = session.purses.exceeded() ?? tooDear(session)
  if (kind === null) return
  const kept = reserveText(session)
  const message = `stopped by the ${kind.replaceAll('_', ' of ')}: what is left does not reach for another round`
  throw new StepStopped(kept === null ? message : `${message}; ${kept}`, kind)
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
