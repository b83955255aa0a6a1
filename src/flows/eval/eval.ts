/** eval: one arm, does it pass? Finds suites, plans each, runs and grades them one after another; a broken one stops no other. */

import { IncompleteError, UserError } from '../../base/error.ts'
import { reapRooms } from '../../base/room.ts'
import { findSuites, loadSuites } from '../../phases/1-plan/find_suites.ts'
import { selectEvals } from '../../phases/1-plan/select_eval.ts'
import type { FlowContext } from '../context.ts'
import { noLimits } from '../limits.ts'
import { Purses } from '../purses.ts'
import { evalSuite } from './eval_suite.ts'
import { prepareEval } from './prepare_eval.ts'
import { refuseBadReports } from './report.ts'
import type { BrokenSuite, EvalPlans, EvalRequest, EvalsResult } from './request.ts'

/** The plans alone, for --dry-run: no agent is started, nothing written. Throws UserError where no suite is found. */
export async function planEval(request: EvalRequest, context: FlowContext, lenient = true): Promise<EvalPlans> {
  const broken: BrokenSuite[] = []
  const loaded = []
  for (const { found, read } of await loadSuites(await findSuites(request.path, request.format))) {
    const suite = await orBroken(found, broken, async () => {
      if (read.status === 'rejected') throw read.reason
      return read.value
    })
    if (suite !== null) loaded.push({ found, suite })
  }
  const [only] = broken
  if (loaded.length === 0 && only !== undefined && broken.length === 1) throw only.error
  const plans = []
  for (const { found, suite } of selectEvals(loaded, request)) {
    const plan = await orBroken(found, broken, () => prepareEval(suite, request, { context, lenient }))
    if (plan !== null) plans.push({ ...plan, choices: [...(found.note === null ? [] : [found.note]), ...plan.choices] })
  }
  const [first] = broken
  if (plans.length === 0 && first !== undefined && broken.length === 1) throw first.error
  return { plans, broken }
}

/** Runs them. Throws UserError where there is nothing to run, the abort reason when cut short. */
export async function evaluate(request: EvalRequest, context: FlowContext): Promise<EvalsResult> {
  await reapRooms()
  const { plans, broken } = await planEval(request, context, false)
  if (request.writes !== undefined) refuseBadReports(plans, request.writes)
  const results: EvalsResult['results'] = []
  const purses = new Purses(request.limits ?? noLimits)
  for (const plan of plans) {
    if (context.drain.aborted) break
    const place = { place: plan.plan.suite.path, format: plan.plan.suite.format }
    const result = await orBroken(place, broken, () => evalSuite(plan, { request, purses }, context))
    if (result !== null) results.push(result)
  }
  const [only] = broken
  if (results.length === 0 && only !== undefined && broken.length === 1) throw only.error
  return { results, broken }
}

/** Null where it can't be done for a reason that a user can mend, which is kept. */
async function orBroken<R>(
  { place, format }: Pick<BrokenSuite, 'place' | 'format'>,
  broken: BrokenSuite[],
  work: () => Promise<R>,
): Promise<R | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UserError || error instanceof IncompleteError)) throw error
    broken.push({ place, format, error })
    return null
  }
}
