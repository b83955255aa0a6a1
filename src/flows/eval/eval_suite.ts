/** One suite of eval: its plan performed, a verdict a case, eval.json written. */
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { openRoom } from '../../base/room.ts'
import { engineNamed } from '../../engines/table.ts'
import { caseResult, evalSummary, type JudgedRun } from '../../phases/4-report/eval_verdict.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { createBenchmark, readRun, writeArtefact } from '../../store/store.ts'
import { planReady, snapshotSkills } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { execute, uncached } from '../execute.ts'
import { holdBenchmark } from '../hold.ts'
import { openLimited } from '../limited.ts'
import { noLimits } from '../limits.ts'
import { preflight } from '../preflight.ts'
import type { Purses } from '../purses.ts'
import { hiddenFrom, startSandbox, withSandbox } from '../start_sandbox.ts'
import { refuseStrayInstructions } from '../surroundings.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { withGoldenLog } from './golden_log.ts'
import { openPasses, type Passes } from './passes.ts'
import type { EvalRequest, PreparedEval } from './request.ts'

/** Throws UserError or IncompleteError before anything was paid for, the abort reason when cut short. */
export async function evalSuite(
  prepared: PreparedEval,
  { request, purses }: { request: EvalRequest; purses: Purses },
  context: FlowContext,
): Promise<EvalResult & { plan: Plan }> {
  const started = context.now()
  const passes = openPasses(prepared.plan, { workspace: prepared.workspace, now: started, use: request.cache })
  if (passes.known.size > 0 && passes.plan.runs.length === 0) return await evalKnown(prepared, passes, context)
  await using scratch = await openRoom()
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  const plan = withSandbox(passes.plan, sandbox)
  if (sandbox.mechanism === 'none' && plan.runs.some((run) => run.sandbox?.only_writable !== undefined)) {
    prepared.choices.push('the suite keeps agents to some folders of the workspace; without a sandbox nothing does')
  }
  if (plan.runs.length > 0) await makeReady(plan, { request, room: scratch.path }, context)
  const folder = await createBenchmark(prepared.workspace, started, 'evals')
  await using held = await holdBenchmark(folder, context)
  await writeArtefact(planSchema, benchmarkPaths(folder).plan, plan)
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  context.emit(await planReady(folder, { ...prepared, plan }))
  const { concurrency, passEnv, limits = noLimits, pace, keep } = request
  using limited = await openLimited({ plan, folder, workspace: prepared.workspace, limits, purses }, held.context)
  const hidden = hiddenFrom(plan, prepared.workspace)
  const how = { passEnv, hidden, sandbox, concurrency, pace, limited, keepWork: keep, ...uncached }
  await execute({ plan, folder, skillFiles, ...how }, held.context)
  context.signal.throwIfAborted()
  const made = await resultOf({ ...prepared, plan }, { folder, known: passes.known }, { started, now: context.now() })
  await passes.keep(folder, made.cases)
  const result = await withGoldenLog({ plan, result: made, stopped: limited?.stopped()?.reason ?? null })
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan }
}

/** Every case passed before: nothing is started. */
async function evalKnown(prepared: PreparedEval, { plan, known }: Passes, context: FlowContext) {
  const started = context.now()
  const folder = await createBenchmark(prepared.workspace, started, 'evals')
  await writeArtefact(planSchema, benchmarkPaths(folder).plan, plan)
  const result = await resultOf({ ...prepared, plan }, { folder, known }, { started, now: context.now() })
  await writeArtefact(evalResult, path.join(folder, 'eval.json'), result)
  return { ...result, plan }
}

async function makeReady(
  { options, suite }: Plan,
  { request, room }: { request: EvalRequest; room: string },
  context: FlowContext,
): Promise<void> {
  const hasOtherJudges = suite.format === 'golden' && request.judge === null
  if (engineNamed(options.engine.name).readsAbove !== false) await refuseStrayInstructions(room)
  const judge = hasOtherJudges ? null : options.judge // who can't be asked is followed by the next
  await preflight([options.engine, judge], request.passEnv, context)
  await refuseUnpriced(options, request.limits ?? noLimits)
}

async function resultOf(
  { plan, root, name, version }: PreparedEval,
  { folder, known }: { folder: string } & Pick<Passes, 'known'>,
  { started, now }: { started: Date; now: Date },
): Promise<EvalResult> {
  const runs = new Map<number, JudgedRun>()
  for (const { eval_id, run_id } of plan.runs) {
    const stored = await readRun(folder, run_id)
    if (stored !== null) runs.set(eval_id, { run: run_id, record: stored.record, grading: stored.grading })
  }
  const cases = plan.cases.map((one) => known.get(one.eval_id) ?? caseResult(one, runs.get(one.eval_id) ?? null))
  const records = [...runs.values()].map(({ record }) => record)
  const first = records.find(({ status }) => status === 'completed') ?? records[0]
  const { engine, judge, timeout_seconds } = plan.options
  return {
    schema_version: 1,
    format: plan.suite.format,
    suite: plan.suite.path,
    ...{ root, name, version, folder },
    started_at: started.toISOString(),
    duration_seconds: (now.getTime() - started.getTime()) / 1000,
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
