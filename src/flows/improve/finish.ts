/** The end of a session: why it stopped, and the one look at the test cases. */

import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { testResult } from '../../phases/4-report/accept/test_result.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { paidIn } from '../limited.ts'
import { benchStep } from './bench_step.ts'
import { releaseReserve } from './reserve.ts'
import { record, type Session, tell } from './session.ts'
import { failureClasses, seenRuns } from './training.ts'

type Stopped = NonNullable<History['stopped']>

/** Ended for good: the test cases are looked at, once. */
export async function finish(
  session: Session,
  why: Pick<Stopped, 'reason' | 'message'>,
  context: FlowContext,
): Promise<void> {
  const { history } = session
  const { split, current_best: best } = history
  tell(context, { iteration: 0, step: 'stopped', version: best, message: why.message })
  const failures = await failuresOf(session)
  const stopped = { ...why, ...(failures.length > 0 && { failures }) }
  if (split === undefined || best === 'v0' || split.test.length === 0) {
    return await record(session, {
      fields: { stopped, test: null, ...(await costs(session)), ended_at: context.now().toISOString() },
    })
  }
  tell(context, {
    iteration: 0,
    step: 'test',
    version: best,
    message: `${best} against v0 on the ${split.test.length} test cases`,
  })
  const { reason, message } = why
  await record(session, { fields: { ending: { reason, message } } })
  releaseReserve(session)
  const step = { candidate: best, against: 'v0', cases: split.test, runs: split.runs.test }
  const made = await benchStep(session, step, context)
  const test = testResult({ benchmark: made.folder, best, cases: made.cases, validationGain: gainUpTo(history) })
  tell(context, { iteration: 0, step: 'test', version: best, message: test.sentence })
  await record(session, { fields: { stopped, test, ...(await costs(session)), ended_at: context.now().toISOString() } })
}

/** Not ended: a resume goes on. */
export async function pause(session: Session, stopped: Stopped, context: FlowContext): Promise<void> {
  tell(context, { iteration: 0, step: 'stopped', version: null, message: stopped.message })
  await record(session, { fields: { stopped, ...(await costs(session)) } })
}

async function failuresOf(session: Session) {
  const { split, current_best: best, iterations } = session.history
  if (split === undefined || iterations.length === 0) return []
  return failureClasses(await seenRuns(session, { versions: [best, 'v0'], cases: split.train }))
}

function gainUpTo({ iterations }: History): number {
  const won = iterations.filter(({ grading_result }) => grading_result === 'won')
  return won.reduce((sum, { gate }) => sum + (gate?.difference ?? 0), 0)
}

/** Of all that the session has run, whether a benchmark came to its end or not. */
async function costs({ workspace, history }: Session): Promise<Costs> {
  let [known, unknown] = [0, 0]
  for (const collection of ['benchmarks', 'calibrations'] as const) {
    for (const folder of await listBenchmarks(workspace, collection)) {
      const plan = await readPlan(folder).catch(() => null)
      if (plan === null || plan.created_at < history.started_at || !isOfVersion(plan)) continue
      for (const { usd } of await paidIn(folder)) {
        known += usd ?? 0
        unknown += usd === null ? 1 : 0
      }
    }
  }
  const usd = known === 0 && unknown > 0 ? null : Math.round(known * 1e6) / 1e6
  return { benchmarks_usd: usd, benchmarks_unknown: unknown }
}

type Costs = Required<Pick<History, 'benchmarks_usd' | 'benchmarks_unknown'>>

/** A benchmark that the author ran meanwhile is of the skill itself. */
function isOfVersion({ skill }: Plan): boolean {
  return path.basename(path.dirname(skill.path)) === 'versions'
}
