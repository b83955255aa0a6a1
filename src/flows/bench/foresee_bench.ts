/** Goes through the start of bench for --dry-run: the plan, and each reason to refuse it. Starts no agent and writes nothing. */
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { checkStart } from '../prepare/check_start.ts'
import { attemptStep, type StartRefusal } from '../prepare/preflight.ts'
import { type BenchRequest, type PreparedBench, prepareBench } from '../prepare/prepare_bench.ts'
import { isBenchmarkComplete } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import { probeSandboxEarly } from '../sandbox/start_sandbox.ts'
import { assertUnlocked } from '../workspace/benchmark_lock.ts'
import { findUnfinished } from '../workspace/open_benchmark.ts'

/** A prepared benchmark with the commands that its suite would start. */
export interface ReviewedBench extends PreparedBench {
  review: CommandReview
}

/** Everything up to the first call, with the refusals of a real start; `work` may read the files of both versions. */
export async function foreseeBench<R>(
  request: BenchRequest,
  context: FlowContext,
  work: (prepared: ReviewedBench & { refusals: StartRefusal[] }) => Promise<R>,
): Promise<R> {
  await using scratch = await openTempDir()
  const refusals: StartRefusal[] = []
  const refuse = (reason: StartRefusal) => void refusals.push(reason)
  probeSandboxEarly(request.sandbox, context)
  const prepared = await prepareBench(request, context, { scratch: path.join(scratch.path, 'baseline'), refuse })
  const how = { scratch: scratch.path, refuse, isDryRun: true }
  const { plan, review } = await checkStart(prepared, request, how, context)
  await attemptStep(refuse, () => request.remote?.withoutWait().reach(context))
  await attemptStep(refuse, () => refuseLockedElsewhere({ ...prepared, plan }, request, context))
  return await work({ ...prepared, plan, review, refusals })
}

/** Throws UserError if another process has locked the benchmark that the real start would resume. */
async function refuseLockedElsewhere(
  { plan, workspace }: PreparedBench,
  { fresh, remote = null }: BenchRequest,
  context: FlowContext,
): Promise<void> {
  const unfinished = fresh || remote !== null ? null : await findUnfinishedBench(workspace, plan, context)
  if (unfinished !== null) await assertUnlocked(unfinished, freshBenchHint)
}

/** What else the user can do if another process has locked it. */
export const freshBenchHint = ', or start another benchmark with --fresh'

/** The folder of the newest benchmark of this plan if it is unfinished; null: there is none. */
export async function findUnfinishedBench(workspace: string, plan: Plan, context: FlowContext): Promise<string | null> {
  const of = { workspace, collection: chooseCollection(plan), isComplete: isBenchmarkComplete }
  return await findUnfinished(of, { plan }, context)
}
