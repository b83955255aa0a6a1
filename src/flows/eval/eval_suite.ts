/** One suite of eval: its plan performed, a verdict a case, eval.json written. */
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { openRoom } from '../../base/room.ts'
import { engineNamed } from '../../engines/table.ts'
import { caseResult, evalSummary, type JudgedRun } from '../../phases/4-report/eval_verdict.ts'
import { writePlanFile } from '../../store/plan_file.ts'
import { createBenchmark, readRun, writeArtefact } from '../../store/store.ts'
import { snapshotSkills } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { execute } from '../execute.ts'
import { openLimited } from '../limited.ts'
import { noLimits } from '../limits.ts'
import { mend } from '../mend.ts'
import { planReady } from '../plan_ready.ts'
import { preflight } from '../preflight.ts'
import type { Purses } from '../purses.ts'
import { openRemoteIf } from '../queue/open_remote.ts'
import { hiddenFrom, startSandbox, withSandbox } from '../start_sandbox.ts'
import { refuseStrayInstructions } from '../surroundings.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { capAsLimit, withinCaps } from './cost_caps.ts'
import { refuseUnloggable, withGoldenLog } from './golden_log.ts'
import { openPasses, type Passes } from './passes.ts'
import type { EvalRequest, PreparedEval } from './request.ts'
import { openEval } from './resume.ts'

/** Throws UserError or IncompleteError before anything was paid for, the abort reason when cut short. */
export async function evalSuite(
  prepared: PreparedEval,
  { request, purses }: { request: EvalRequest; purses: Purses },
  context: FlowContext,
): Promise<EvalResult & { plan: Plan }> {
  const [started, begun] = [context.now(), performance.now()]
  refuseUnloggable(prepared, started)
  const passes = openPasses(prepared.plan, { workspace: prepared.workspace, now: started, use: request.cache })
  if (passes.known.size > 0 && passes.plan.runs.length === 0) return await evalKnown(prepared, passes, context)
  await using scratch = await openRoom()
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  const plan = withSandbox(passes.plan, sandbox)
  if (sandbox.mechanism === 'none' && plan.runs.some((run) => run.sandbox?.only_writable !== undefined)) {
    prepared.choices.push('the suite keeps agents to some folders of the workspace; without a sandbox nothing does')
  }
  if (plan.runs.length > 0) await makeReady(prepared, { plan, request, room: scratch.path }, context)
  const { folder, held, ...before } = await openEval(prepared, request.fresh, context)
  await using holding = held
  const kept = { ...plan, created_at: before.startedAt }
  await writePlanFile(folder, kept)
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  await mend(folder, plan, context)
  context.emit(await planReady(folder, { ...prepared, plan }))
  const { concurrency, passEnv, limits = noLimits, pace, keep } = request
  const may = await withinCaps(prepared, { limits, purses }, { plan, folder, now: context.now() })
  using limited = await openLimited({ plan, folder, workspace: prepared.workspace, ...may }, holding.context)
  const hidden = hiddenFrom(plan, prepared.workspace)
  await using remote = await openRemoteIf({ ...request, wish: request.queue ?? null, plan, folder, limited }, context)
  const how = { passEnv, hidden, sandbox, concurrency, pace, limited, keepWork: keep, cache: null, remote }
  await execute({ plan, folder, skillFiles, ...how, settled: before.settled }, holding.context)
  await remote?.[Symbol.asyncDispose]()
  may.settle()
  context.signal.throwIfAborted()
  const now = context.now()
  const seconds = before.secondsBefore + secondsSince(begun)
  const made = await resultOf(
    { ...prepared, plan: kept },
    { folder, known: passes.known, made: prepared.plan.runs, seconds },
  )
  await passes.keep(folder, made.cases)
  const stopped = limited?.stopped()?.reason ?? null
  const result = await withGoldenLog({ plan, result: made, stopped, prepared, now })
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan: kept }
}

/** Every case passed before: nothing is started. */
async function evalKnown(prepared: PreparedEval, { plan, known }: Passes, context: FlowContext) {
  const begun = performance.now()
  const folder = await createBenchmark(prepared.workspace, context.now(), 'evals')
  await writePlanFile(folder, plan)
  const seconds = secondsSince(begun)
  const result = await resultOf({ ...prepared, plan }, { folder, known, made: [], seconds })
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan }
}

/** Since then by performance.now(), which nobody sets, in whole milliseconds. */
function secondsSince(begun: number): number {
  return Math.round(performance.now() - begun) / 1000
}

async function makeReady(
  prepared: PreparedEval,
  { plan: { options, suite }, request, room }: { plan: Plan; request: EvalRequest; room: string },
  context: FlowContext,
): Promise<void> {
  const hasOtherJudges = suite.format === 'golden' && request.judge === null
  if (engineNamed(options.engine.name).readsAbove !== false) await refuseStrayInstructions(room)
  const judge = hasOtherJudges ? null : options.judge // who can't be asked is followed by the next
  await preflight({ '--model': options.engine, '--judge': judge }, request.passEnv, context)
  await refuseUnpriced(options, capAsLimit(prepared, request.limits ?? noLimits))
}

interface Ended {
  folder: string
  known: Passes['known']
  /** Runs that may lie there: also those of cases that are known by now. */
  made: Plan['runs']
  seconds: number
}

async function resultOf(
  { plan, root, name, version }: PreparedEval,
  { folder, known, made, seconds }: Ended,
): Promise<EvalResult> {
  const runs = new Map<number, JudgedRun>()
  for (const { eval_id, run_id, key } of made) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.key === key) runs.set(eval_id, { run: run_id, record: stored.record, grading: stored.grading })
  }
  const cases = plan.cases.map((one) => {
    const run = runs.get(one.eval_id)
    return run === undefined ? (known.get(one.eval_id) ?? caseResult(one, null)) : caseResult(one, run)
  })
  const records = [...runs.values()].map(({ record }) => record)
  const first = records.find(({ status }) => status === 'completed') ?? records[0]
  const { engine, judge, timeout_seconds } = plan.options
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
    summary: evalSummary(cases),
    cases,
    warnings: plan.warnings,
  }
}
