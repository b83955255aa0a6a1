/** bench: tests whether a skill helps. Plans, checks the engines, executes and grades the missing runs (with --until only while undecided), and summarizes. */
import path from 'node:path'
import type { UntilLook } from '../../../schemas/benchmark_statistics.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { copyWalk, type WalkedFile, walk } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { keepReruns } from '../../phases/1-plan/plan/rerun_plan.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { usualBaselineAge } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { type CountedRun, readOwnPlan, writePlan } from '../../store/store.ts'
import { rememberNamedEngines } from '../authorize/planned_programs.ts'
import { resolveConfinement, reviewPlan } from '../authorize/suite_commands.ts'
import { cacheMode, openRunCache } from '../cache/run_cache.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadIndexSteps } from '../index_steps.ts'
import { openJudgeBatch } from '../judge_batch.ts'
import { loadJudgeReliability } from '../judge_reliability.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../limits/limited_bench.ts'
import { explainWaitStop } from '../limits/wait_limits.ts'
import { reuseConcurrentRuns } from '../older_runs/reuse_concurrent_runs.ts'
import { testOlderRuns } from '../older_runs/test_older_runs.ts'
import { checkStart } from '../prepare/check_start.ts'
import type { ReadyProbe } from '../prepare/preflight.ts'
import { ignoreRefusals, type OnRefusal, throwRefusal } from '../prepare/preflight.ts'
import { type BenchRequest, type PreparedBench, prepareBench } from '../prepare/prepare_bench.ts'
import { isBenchmarkComplete, readResults } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import { computeUntilState } from '../report/interim_analyses.ts'
import { type BenchResult, summarizeBenchmark } from '../report/summarize.ts'
import { dropTranscript, type Execution, execute } from '../run/execute.ts'
import { createPlanReadyEvent } from '../run/plan_ready_event.ts'
import { listHiddenPaths, startSandbox, withSandbox } from '../sandbox/start_sandbox.ts'
import { type BenchmarkLock, clearLeftovers, isLockedElsewhere } from '../workspace/benchmark_lock.ts'
import { describeCases, openBenchFolder, repairBenchmark } from '../workspace/open_benchmark.ts'
import { followBench } from './follow_bench.ts'
import { findUnfinishedBench, freshBenchHint, type ReviewedBench } from './foresee_bench.ts'

/** Runs the benchmark. Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function bench(request: BenchRequest, context: FlowContext): Promise<BenchResult> {
  await clearLeftovers(context) // first: leftovers of a killed benchmark may fill the disk
  await using scratch = await openTempDir()
  const where = { scratch: path.join(scratch.path, 'baseline'), refuse: throwRefusal }
  const prepared = await prepareBench(request, context, where)
  const { sandbox, probes } = await checkStart(prepared, request, { scratch: scratch.path }, context)
  const { engine, judge, user = null } = prepared.plan.options
  rememberNamedEngines([engine, judge, user], context)
  const opened = await openBenchmark(prepared, request, context)
  if ('attached' in opened) return opened.attached
  const { folder, lock } = opened
  await using holding = lock
  await Promise.all([loadJudgeReliability(), loadIndexSteps()])
  return await runPreparedBench(folder, { request, prepared, probes, sandbox, scratch: scratch.path }, holding.context)
}

async function runPreparedBench(folder: string, made: BenchInputs, context: FlowContext): Promise<BenchResult> {
  const { request, prepared, probes, sandbox } = made
  const { concurrency, passEnv, pace } = request
  const { workspace } = prepared
  const signer = findSigner(context.env)
  const plan = withSandbox(keepReruns(await readOwnPlan(folder, signer), prepared.plan), sandbox)
  await writePlan(folder, plan, signer)
  describeCases(folder, plan, context.env)
  const skillFiles = await snapshotSkills(prepared.folders, made.scratch)
  await repairBenchmark(folder, plan, context)
  const shared = (await request.shareRuns?.({ folder, plan, signer })) ?? 0
  context.emit({ ...(await createPlanReadyEvent(folder, { ...prepared, plan })), ...(shared > 0 && { shared }) })
  const { sharedCache } = request
  const keys = { skillFiles, probes, passEnv }
  const cache = await openRunCache({ plan, folder, mode: cacheMode(request), ...keys, sharedCache }, context)
  const isUntil = plan.options.until !== undefined
  const ageMs = request.baselineAgeMs ?? usualBaselineAge
  const settled = isUntil
    ? new Set<string>()
    : await reuseConcurrentRuns({ plan, folder, cache, ageMs, samples: true }, context)
  using limited = await openLimitedBench(
    { ...request, plan, folder, workspace, ...resolveSharedLimits(request) },
    context,
  )
  await using remote = (await request.remote?.open({ ...request, plan, folder, limited }, context)) ?? null
  const how = { passEnv, hidden: listHiddenPaths(plan, workspace), sandbox, concurrency, pace, limited, cache, remote }
  const { judge } = plan.options
  const batch = request.judgeBatch && judge ? await openJudgeBatch({ folder, choice: judge }, context) : null
  const dropTranscripts = request.transcripts === false
  const execution = { plan, folder, skillFiles, settled, batch, dropTranscripts, ...how }
  if (isUntil) await executeUntilDecided({ ...execution, ageMs }, context)
  else await testOlderRuns(execution, await execute(execution, context), context)
  await remote?.[Symbol.asyncDispose]() // remote results are stored and counted before the benchmark is complete
  if (!context.drain.aborted) await batch?.finish()
  if (dropTranscripts) for (const spec of plan.runs) await dropTranscript(folder, spec, context.now())
  const ended = await explainWaitStop({ folder, plan }, context)
  const stop = ended.stop ?? limited?.stopped() ?? null
  return await summarizeBenchmark(folder, plan, ended.context, { stop, marked: true })
}

/** The plan alone, by default even if no engine is available: starts no agent and writes nothing. */
export async function planBench(
  request: BenchRequest,
  context: FlowContext,
  refuse: OnRefusal = ignoreRefusals,
): Promise<ReviewedBench> {
  await using scratch = await openTempDir()
  const where = { scratch: path.join(scratch.path, 'baseline'), refuse }
  const prepared = await prepareBench(request, context, where)
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  const review = await reviewPlan(prepared.plan, prepared.folders, resolveConfinement(sandbox, request.sandbox))
  return { ...prepared, plan: withSandbox(prepared.plan, sandbox), review }
}

interface BenchInputs {
  request: BenchRequest
  prepared: PreparedBench
  sandbox: SandboxChoice
  scratch: string
  probes: ReadonlyMap<string, ReadyProbe>
}

/**
 * Locks the newest unfinished benchmark of the same plan, else a new one. If another process has locked it: with remote runs, returns that
 * process's result; otherwise throws UserError.
 */
async function openBenchmark(
  { plan, workspace, choices }: PreparedBench,
  { fresh, remote = null }: BenchRequest,
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock } | { attached: BenchResult }> {
  const collection = chooseCollection(plan)
  for (;;) {
    const unfinished = fresh ? null : await findUnfinishedBench(workspace, plan, context)
    const canAttach = unfinished !== null && remote !== null
    const attached = canAttach ? await followBench(unfinished, choices, context) : null
    if (attached !== null) return { attached }
    try {
      return await openBenchFolder(
        { workspace, collection, unfinished, isComplete: isBenchmarkComplete, otherwise: freshBenchHint },
        context,
      )
    } catch (error) {
      if (!canAttach || !isLockedElsewhere(error)) throw error // several processes may see the first one end; one of them resumes
    }
  }
}

/** Copies each skill version, so that an edit during the benchmark changes nothing. */
export async function snapshotSkills(folders: PreparedBench['folders'], scratch: string) {
  const files = new Map<string, readonly WalkedFile[]>()
  for (const [sha256, folder] of folders) {
    const copy = path.join(scratch, `version-${files.size}`)
    await copyWalk((await listSkillFiles(folder)).files, copy)
    files.set(sha256, (await walk(copy)).files)
  }
  return files
}

interface BlockExecution extends Execution {
  /** --baseline-age in milliseconds. An analysis assumes pairs of the same time, so all runs older than that are run again. */
  ageMs: number
}

/**
 * Like `execute`, block by block. Repeats the analyses of earlier starts in the same order, so that a resume gets the same results. Skips
 * the analysis if a run of the block has not ended: a limit, Ctrl-C, or an error for all runs.
 */
async function executeUntilDecided(execution: BlockExecution, context: FlowContext): Promise<void> {
  const { plan, folder } = execution
  const results = new Map<string, CountedRun>()
  let state = computeUntilState(plan, results)
  let [from, told] = [0, 0]
  while (state.next !== null) {
    const to = state.next
    const block = { ...plan, runs: plan.runs.filter((run) => isOfBlocks(run, { from, to, plan })) }
    const { isHalted } = await executeBlock(execution, block, context)
    if (context.signal.aborted) return
    for (const [id, stored] of readResults(folder, block, context)) results.set(id, stored)
    state = computeUntilState(plan, results)
    for (const look of state.looks.slice(told)) {
      context.emit({ type: 'looked', ...lookEvent(look), next: state.next, reason: state.reason })
    }
    told = state.looks.length
    from = to
    if (isHalted || state.blocks < to || hasNoPair(state.looks)) return
  }
}

/** Reruns have numbers above those of all blocks, so they belong to the first. */
function isOfBlocks(
  { run_number: number }: Plan['runs'][number],
  { from, to, plan }: { from: number; to: number; plan: Plan },
): boolean {
  return (number > from && number <= to) || (from === 0 && number > plan.options.runs)
}

async function executeBlock(
  execution: BlockExecution,
  block: Plan,
  context: FlowContext,
): Promise<{ isHalted: boolean }> {
  const { cache, folder, ageMs } = execution
  const reuse = { plan: block, folder, cache: cache && { ...cache, plan: block }, ageMs, samples: false }
  const settled = await reuseConcurrentRuns(reuse, context)
  const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
  limited?.spending.forget(settled)
  const inBlock = { ...execution, plan: block, settled, limited }
  return await testOlderRuns(inBlock, await execute(inBlock, context), context)
}

/** True if the last analysis had no new pair: whatever broke this block's runs would break the next block's. */
function hasNoPair(looks: readonly UntilLook[]): boolean {
  return (looks.at(-1)?.pairs ?? 0) === (looks.at(-2)?.pairs ?? 0)
}

function lookEvent({ verdict: _, ...look }: UntilLook) {
  return look
}
