/** Ends a session: records why it stopped, and evaluates the test cases once. */
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { buildTestResult } from '../../phases/4-report/acceptance/test_result.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import { releaseReserve } from './budget_reserve.ts'
import { classifyFailures, readSeenRuns } from './propose/training_runs.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from './session/session.ts'
import { runBenchStep } from './validate/bench_step.ts'

type SessionStop = NonNullable<History['stopped']>

/** Ends the session for good after evaluating the test cases once. */
export async function finishSession(
  session: ImproveSession,
  why: Pick<SessionStop, 'reason' | 'message'>,
  context: FlowContext,
): Promise<void> {
  const { history } = session
  const { split, current_best: best } = history
  emitImproveStep(context, { iteration: 0, step: 'stopped', version: best, message: why.message })
  const failures = await readTrainFailures(session)
  const stopped = { ...why, ...(failures.length > 0 && { failures }) }
  if (split === undefined || best === 'v0' || split.test.length === 0) {
    return await recordProgress(session, {
      fields: { stopped, test: null, ...(await sumSessionCosts(session)), ended_at: context.now().toISOString() },
    })
  }
  emitImproveStep(context, {
    iteration: 0,
    step: 'test',
    version: best,
    message: `${best} against v0 on the ${split.test.length} test cases`,
  })
  const { reason, message } = why
  await recordProgress(session, { fields: { ending: { reason, message } } })
  releaseReserve(session)
  const step = { candidate: best, against: 'v0', cases: split.test, runs: split.runs.test }
  const made = await runBenchStep(session, step, context)
  const test = buildTestResult({ benchmark: made.folder, best, cases: made.cases, validationGain: sumGains(history) })
  emitImproveStep(context, { iteration: 0, step: 'test', version: best, message: test.sentence })
  await recordProgress(session, {
    fields: { stopped, test, ...(await sumSessionCosts(session)), ended_at: context.now().toISOString() },
  })
}

/** Stops without ending: --resume continues the session. */
export async function pauseSession(session: ImproveSession, stopped: SessionStop, context: FlowContext): Promise<void> {
  emitImproveStep(context, { iteration: 0, step: 'stopped', version: null, message: stopped.message })
  await recordProgress(session, { fields: { stopped, ...(await sumSessionCosts(session)) } })
}

async function readTrainFailures(session: ImproveSession) {
  const { split, current_best: best, iterations } = session.history
  if (split === undefined || iterations.length === 0) return []
  return classifyFailures(await readSeenRuns(session, { versions: [best, 'v0'], cases: split.train }))
}

function sumGains({ iterations }: History): number {
  const won = iterations.filter(({ grading_result }) => grading_result === 'won')
  return won.reduce((sum, { gate }) => sum + (gate?.difference ?? 0), 0)
}

/** Covers everything that the session has run, including unfinished benchmarks. */
async function sumSessionCosts({ workspace, history }: ImproveSession): Promise<Costs> {
  let [known, unknown] = [0, 0]
  for (const collection of ['benchmarks', 'calibrations'] as const) {
    for (const folder of await listBenchmarks(workspace, collection)) {
      const plan = await readPlan(folder).catch(() => null)
      if (plan === null || plan.created_at < history.started_at || !isVersionPlan(plan)) continue
      for (const { usd } of await readBenchmarkSpending(folder)) {
        known += usd ?? 0
        unknown += usd === null ? 1 : 0
      }
    }
  }
  const usd = known === 0 && unknown > 0 ? null : Math.round(known * 1e6) / 1e6
  return { benchmarks_usd: usd, benchmarks_unknown: unknown }
}

type Costs = Required<Pick<History, 'benchmarks_usd' | 'benchmarks_unknown'>>

/** False for a benchmark that the author ran during the session: its subject is the skill itself. */
function isVersionPlan({ skill }: Plan): boolean {
  return path.basename(path.dirname(skill.path)) === 'versions'
}
