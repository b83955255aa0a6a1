/** eval: does one configuration pass? Finds suites, plans, executes and grades each in turn; a broken one does not stop the others. */
import type { Suite } from '../../../schemas/suite.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { type FoundSuite, findSuites, loadSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { selectEvals } from '../../phases/1-plan/suite/select_eval_cases.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import { selectChanged } from '../changes/find_changes.ts'
import { estimateBench } from '../estimate/estimate_bench.ts'
import type { FlowContext } from '../flow_context.ts'
import { noLimits, SharedBudgets } from '../limits/limits.ts'
import { type StartRefusal, throwRefusal } from '../prepare/preflight.ts'
import { clearLeftovers } from '../workspace/benchmark_lock.ts'
import { readyEval } from './check_eval_start.ts'
import type { BrokenSuite, EvalPlans, EvalRequest, EvalsResult, PreparedEval } from './eval_request.ts'
import { runEvalSuite } from './eval_suite.ts'
import { prepareEval } from './prepare_eval.ts'
import { refuseBadReports } from './write_reports.ts'

/** Plans and start refusals for --dry-run: starts no agent, writes nothing. Throws UserError where no suite is found. */
export async function planEval(request: EvalRequest, context: FlowContext): Promise<EvalPlans> {
  await using scratch = await openTempDir()
  const found = new Map<PreparedEval, { refusals: StartRefusal[]; review: CommandReview }>()
  const { plans, broken } = await prepareEvals(request, context, async (suite) => {
    const refusals: StartRefusal[] = []
    const refuse = (reason: StartRefusal) => void refusals.push(reason)
    const prepared = await prepareEval(suite, request, { context, refuse, isDryRun: true })
    const how = { scratch: scratch.path, refuse, isDryRun: true, started: context.now() }
    const { review } = await readyEval(prepared, request, how, context)
    found.set(prepared, { refusals, review })
    return prepared
  })
  if (request.writes !== undefined) refuseBadReports(plans, request.writes)
  const { prices } = context
  const all = { concurrency: request.concurrency, folder: null, reused: new Map(), again: new Set<string>(), prices }
  const made = plans.map(async (plan) => {
    const more = found.get(plan)
    return more === undefined ? [] : [{ ...plan, ...more, estimate: await estimateBench(plan, all) }]
  })
  return { plans: (await Promise.all(made)).flat(), broken }
}

async function prepareEvals(
  request: EvalRequest,
  context: FlowContext,
  prepareOne: (suite: Suite) => Promise<PreparedEval>,
): Promise<{ plans: PreparedEval[]; broken: BrokenSuite[] }> {
  const broken: BrokenSuite[] = []
  const loaded = []
  for (const { found, read } of await loadSuites(await findAskedSuites(request, context))) {
    const suite = await catchBroken(found, broken, async () => {
      if (read.status === 'rejected') throw read.reason
      return read.value
    })
    if (suite !== null) loaded.push({ found, suite })
  }
  const [only] = broken
  if (loaded.length === 0 && only !== undefined && broken.length === 1) throw only.error
  const plans: PreparedEval[] = []
  for (const { found, suite } of selectEvals(loaded, request)) {
    const plan = await catchBroken(found, broken, () => prepareOne(suite))
    if (plan === null) continue
    if (found.note !== null) plan.choices.unshift(found.note)
    plans.push(plan)
    context.signal.throwIfAborted()
  }
  const [first] = broken
  if (plans.length === 0 && first !== undefined && broken.length === 1) throw first.error
  return { plans, broken }
}

async function findAskedSuites(
  { path: place, format, changed = null }: EvalRequest,
  context: FlowContext,
): Promise<FoundSuite[]> {
  const found = await findSuites(place, format)
  if (changed === null) return found
  const listFolders = async (one: FoundSuite) => [one.place, await one.findRoot()]
  return await selectChanged(found, { ref: changed, noun: 'suite', listFolders }, context)
}

/** Runs the suites. Throws UserError where there is nothing to run, and the abort reason if interrupted. */
export async function evaluate(request: EvalRequest, context: FlowContext): Promise<EvalsResult> {
  await clearLeftovers(context)
  const how = { context, refuse: throwRefusal, isDryRun: false }
  const { plans, broken } = await prepareEvals(request, context, (suite) => prepareEval(suite, request, how))
  if (request.writes !== undefined) refuseBadReports(plans, request.writes)
  const results: EvalsResult['results'] = []
  const budgets = new SharedBudgets(request.limits ?? noLimits)
  for (const plan of plans) {
    if (context.drain.aborted) break
    const place = { place: plan.plan.suite.path, format: plan.plan.suite.format }
    const result = await catchBroken(place, broken, () => runEvalSuite(plan, { request, budgets }, context))
    if (result !== null) results.push(result)
  }
  const [only] = broken
  if (results.length === 0 && only !== undefined && broken.length === 1) throw only.error
  return { results, broken }
}

/** null if it fails for a reason that a user can fix, which is added to `broken`. */
async function catchBroken<R>(
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
