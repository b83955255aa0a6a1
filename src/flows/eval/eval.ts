/** eval: does one configuration pass? Finds suites, plans, executes and decides each in turn; a broken one does not stop the others. */
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { activeNow } from '../../base/time/active_time.ts'
import { type FoundSuite, findSuites, loadSuites } from '../../phases/1-plan/suite/find_suites.ts'
import { selectEvals } from '../../phases/1-plan/suite/select_eval_cases.ts'
import { caseResult, type JudgedRun, summarizeEval } from '../../phases/4-report/eval/eval_verdict.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { createBenchmark, readRun, writeArtefact, writePlan } from '../../store/store.ts'
import { rememberNamedEngines } from '../authorize/planned_programs.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import { snapshotSkills } from '../bench/bench.ts'
import { selectChanged } from '../changes/find_changes.ts'
import { estimateBench } from '../estimate/estimate_bench.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadFormatSteps, type PassCache } from '../format_steps.ts'
import { openLimitedBench } from '../limits/limited_bench.ts'
import { noLimits, SharedBudgets } from '../limits/limits.ts'
import { type StartRefusal, throwRefusal } from '../prepare/preflight.ts'
import { execute } from '../run/execute.ts'
import { createPlanReadyEvent } from '../run/plan_ready_event.ts'
import { listHiddenPaths } from '../sandbox/start_sandbox.ts'
import { clearLeftovers } from '../workspace/benchmark_lock.ts'
import { repairBenchmark } from '../workspace/open_benchmark.ts'
import { readyEval } from './check_eval_start.ts'
import type { BrokenSuite, EvalPlans, EvalRequest, EvalsResult, PreparedEval } from './eval_request.ts'
import { prepareEval } from './prepare_eval.ts'
import { openEval } from './resume_eval.ts'
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
  throwOnlyFailure(loaded, broken)
  const plans: PreparedEval[] = []
  for (const { found, suite } of selectEvals(loaded, request)) {
    const plan = await catchBroken(found, broken, () => prepareOne(suite))
    if (plan === null) continue
    if (found.note !== null) plan.choices.unshift(found.note)
    plans.push(plan)
    context.signal.throwIfAborted()
  }
  throwOnlyFailure(plans, broken)
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
  throwOnlyFailure(results, broken)
  return { results, broken }
}

/** One suite alone fails as itself. */
function throwOnlyFailure(done: readonly unknown[], broken: readonly BrokenSuite[]): void {
  if (done.length === 0 && broken.length === 1) throw broken[0]?.error
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

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function runEvalSuite(
  prepared: PreparedEval,
  { request, budgets }: { request: EvalRequest; budgets: SharedBudgets },
  context: FlowContext,
): Promise<EvalResult & { plan: Plan }> {
  const [started, begun] = [context.now(), activeNow()]
  await using scratch = await openTempDir()
  const how = { scratch: scratch.path, refuse: throwRefusal, isDryRun: false, started }
  const { passes, start } = await readyEval(prepared, request, how, context)
  if (start === null) return await evalKnown(prepared, passes, context)
  const { sandbox, plan } = start
  rememberNamedEngines([plan.options.engine, plan.options.judge, plan.options.user ?? null], context)
  if (sandbox.mechanism === 'none' && plan.runs.some((run) => run.sandbox?.only_writable !== undefined)) {
    prepared.choices.push(
      'the suite lets agents write to some folders of the workspace only; without a sandbox nothing enforces this',
    )
  }
  const { folder, lock, ...before } = await openEval(prepared, request.fresh, context)
  await using holding = lock
  const kept = { ...plan, created_at: before.startedAt }
  await writePlan(folder, kept, findSigner(context.env))
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  await repairBenchmark(folder, plan, context)
  context.emit(await createPlanReadyEvent(folder, { ...prepared, plan }))
  const { concurrency, passEnv, limits = noLimits, pace, keep } = request
  const steps = await loadFormatSteps(plan.suite.format)
  const asked = { limits, budgets }
  const capped = await steps.applyCostCaps?.(prepared, asked, { plan, folder, now: context.now() })
  const may = capped ?? asked
  using limited = await openLimitedBench({ plan, folder, workspace: prepared.workspace, ...may }, holding.context)
  const hidden = listHiddenPaths(plan, prepared.workspace)
  await using remote = (await request.remote?.open({ ...request, plan, folder, limited }, context)) ?? null
  const work = { passEnv, hidden, sandbox, concurrency, pace, limited, keepWork: keep, cache: null, remote }
  const dropTranscripts = request.transcripts === false
  await execute({ plan, folder, skillFiles, dropTranscripts, ...work, settled: before.settled }, holding.context)
  await remote?.[Symbol.asyncDispose]()
  capped?.settle()
  context.signal.throwIfAborted()
  const now = context.now()
  const seconds = before.secondsBefore + secondsSince(begun)
  const made = await buildEvalResult(
    { ...prepared, plan: kept },
    { folder, known: passes.known, made: prepared.plan.runs, seconds },
  )
  await passes.keep(folder, made.cases)
  const stopped = limited?.stopped()?.reason ?? null
  const result = (await steps.writeLog?.({ plan, result: made, stopped, prepared, now })) ?? made
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan: kept }
}

/** Every case passed before, so nothing starts. */
async function evalKnown(prepared: PreparedEval, { plan, known }: PassCache, context: FlowContext) {
  const begun = activeNow()
  const folder = await createBenchmark(prepared.workspace, context.now(), 'evals')
  await writePlan(folder, plan, findSigner(context.env))
  const seconds = secondsSince(begun)
  const result = await buildEvalResult({ ...prepared, plan }, { folder, known, made: [], seconds })
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan }
}

/** Seconds of active time since `begun`, in whole milliseconds. */
function secondsSince(begun: number): number {
  return Math.round(activeNow() - begun) / 1000
}

interface EvalOutcome {
  folder: string
  known: PassCache['known']
  /** Runs that may be on disk, including those of cases already known. */
  made: Plan['runs']
  seconds: number
}

async function buildEvalResult(
  { plan, root, name, version }: PreparedEval,
  { folder, known, made, seconds }: EvalOutcome,
): Promise<EvalResult> {
  const { crashName } = await loadFormatSteps(plan.suite.format)
  const runs = new Map<number, JudgedRun>()
  for (const { eval_id, run_id, key } of made) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.key === key) runs.set(eval_id, { run: run_id, record: stored.record, grading: stored.grading })
  }
  const cases = plan.cases.map((one) => {
    const run = runs.get(one.eval_id)
    return run === undefined ? (known.get(one.eval_id) ?? caseResult(one, null)) : caseResult(one, run, crashName)
  })
  const records = [...runs.values()].map(({ record }) => record)
  const first = records.find(({ status }) => status === 'completed') ?? records[0]
  const { engine, judge, timeout_seconds, activation } = plan.options
  return {
    schema_version: 1,
    format: plan.suite.format,
    suite: plan.suite.path,
    ...{ root, name, version, folder },
    started_at: plan.created_at,
    duration_seconds: seconds,
    engine,
    agent: {
      version: first?.engine.version ?? null,
      model: first?.engine.model ?? engine.model,
      provider: first?.engine.provider ?? null,
      session_id: first?.session_id ?? null,
    },
    judge,
    timeout_seconds,
    activation,
    summary: summarizeEval(cases),
    cases,
    warnings: plan.warnings,
  }
}
