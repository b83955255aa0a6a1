/** Executes a plan: runs and gradings in parallel without a barrier; skips what is already on disk. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { errorMessage, IncompleteError } from '../../base/errors/error.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { withRetry } from '../../base/time/retry.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import { type JobSlot, runLocal } from '../../jobs/local_executor.ts'
import { performRun, type RunResult } from '../../phases/2-run/run.ts'
import { isAgentCrash } from '../../phases/2-run/run_record.ts'
import { readRemoved, removeRunParts } from '../../store/artefacts/removed_parts.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { commitRun, readRun, type StoredRun } from '../../store/store.ts'
import { cacheNewRun, type RunCache } from '../cache/run_cache.ts'
import type { FlowContext } from '../flow_context.ts'
import { openStartQueue, type StartQueue } from '../history/start_order.ts'
import { admitGrading, gradeUnderLimits } from '../judge/grade_stored_run.ts'
import { batchWidth, type JudgeBatch } from '../judge_batch.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import { type AccountLimiters, openAccountLimiters } from '../limits/rate_limiters.ts'
import { resolveRunEngine } from '../prepare/choose_engine.ts'
import type { RemoteExecutor, RemoteWork } from '../prepare/remote_execution.ts'
import { emitStep, runName, toRunFinishedEvent } from '../run_events.ts'
import { openSetupFailures, recordFailedRun, type SetupFailures } from './failed_run.ts'

export interface Execution extends Omit<RemoteWork, 'sandbox'> {
  /** Files of each skill version by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
  concurrency: number
  /** null: reuse and store nothing. */
  cache: RunCache | null
  /** Ids of stored and graded runs: nothing is left to do for them. */
  settled: Pick<ReadonlySet<string>, 'has'>
  /** True: skip grading. */
  ungraded?: boolean
  /** The start order; absent: by durations in earlier benchmarks. */
  queue?: StartQueue<RunSpec>
  /** Gradings wait for batches of the judge, which are submitted when all runs have ended; absent or null: they don't. */
  batch?: JudgeBatch | null
  /** Remove transcript and outputs of each run when it is graded; absent: keep them. */
  dropTranscripts?: boolean | undefined
  /** Whether to keep the agents' working folders with their outputs. */
  keepWork?: boolean
  /** Executes runs on other machines; absent: here. */
  remote?: RemoteExecutor | null
}

interface Job {
  spec: RunSpec
  slot: JobSlot
  pace: AccountLimiters
  setups: SetupFailures
  /** Attempts of an earlier start that the agent ended. */
  agentCrashes: number
}

export const noRunCache: Pick<Execution, 'cache' | 'settled'> = { cache: null, settled: new Set() }

/** Errors that would recur in every further run of the configuration: the first one stops new starts. */
const armWideFailures = new Set(['credentials', 'missing_binary', 'contaminated', 'skill_not_offered'])

/**
 * Executes and grades what is missing. `isHalted`: some runs did not start, or no more should. Throws the first unexpected error after
 * everything else has ended.
 */
export async function execute(execution: Execution, context: FlowContext): Promise<{ isHalted: boolean }> {
  using pace = openAccountLimiters(execution.pace, context)
  const stop = new AbortController()
  const drain = AbortSignal.any([context.drain, stop.signal])
  const batch = execution.batch ?? null
  const gradeLimit = pLimit(batch === null ? execution.concurrency : batchWidth)
  const gradings = new Set<Promise<void>>()
  const ungraded: unknown[] = []
  const limited = execution.limited
  const setups = openSetupFailures()
  const orStop = async (work: Promise<void>) => {
    await work.catch((error: unknown) => {
      if (limited?.deadline.aborted && error === limited.deadline.reason) return
      if (batch?.isInterruption(error)) return
      if (isShortage(error)) stop.abort(errorMessage(error))
      throw error
    })
  }
  const grade = (spec: RunSpec, stored: StoredRun) => {
    const { folder, dropTranscripts } = execution
    if (execution.ungraded) return limited?.spending.graded(spec, null, stored.record)
    const request = { spec, stored, again: false, ...execution, pace }
    const graded = async () => {
      await gradeUnderLimits(limited, request, context)
      if (dropTranscripts) await dropTranscript(folder, spec, context.now())
    }
    const work = () => orStop(graded())
    const grading = gradeLimit(() => (batch === null ? work() : batch.track(work)))
      .catch((error: unknown) => void ungraded.push(error)) // checked when all runs have ended
      .finally(() => gradings.delete(grading))
    gradings.add(grading)
  }
  const missing = execution.plan.runs.filter(({ run_id }) => !execution.settled.has(run_id))
  const queue = limited?.queue ?? execution.queue ?? (await openStartQueue(missing, execution.folder))
  const perform = async (spec: RunSpec, slot: JobSlot) => {
    if (execution.settled.has(spec.run_id)) return
    const stored = await readRun(execution.folder, spec.run_id)
    if (stored !== null && isRunDone(stored, spec) && !isUngradable(execution, spec, stored)) {
      slot.release()
      if (await admitGrading(limited, spec, stored)) grade(spec, stored)
      return
    }
    if (limited !== null && !(await awaitAdmission(limited, spec, { slot, drain }))) return
    const agentCrashes = stored?.record.key === spec.key ? countAgentCrashes(stored.record) : 0
    const record = await runAndCommit(execution, { spec, slot, pace, setups, agentCrashes }, context).catch(
      (error: unknown) => {
        limited?.spending.drop(spec)
        throw error
      },
    )
    setups.learn(spec, record)
    if (record.status !== 'failed') queue.learn(spec.eval_id, record.duration_ms / 1000)
    context.emit(toRunFinishedEvent(spec, record))
    if (record.status === 'failed' && armWideFailures.has(record.error.kind)) stop.abort(record.error.message)
    grade(spec, { record, grading: null, timing: null, metrics: null })
  }
  const next = () => {
    const spec = queue.next()
    return spec && ((slot: JobSlot) => orStop(perform(spec, slot)))
  }
  const concurrency = execution.remote?.atOnce ?? execution.concurrency
  const runAll = () => runLocal(next, { concurrency, drain, signal: context.signal })
  // under a budget a run may wait for the cost of an earlier grading
  const { errors } = await (batch === null || limited !== null ? runAll() : batch.track(runAll))
  await Promise.all(gradings)
  await rm(benchmarkPaths(execution.folder).partial, { recursive: true, force: true })
  const isHalted = drain.aborted || (limited !== null && limited.stopped() !== null)
  if (context.signal.aborted) return { isHalted }
  errors.push(...ungraded)
  const shortage = errors.find(isShortage)
  if (shortage !== undefined) {
    throw new IncompleteError(
      `${execution.folder}: ${errorMessage(shortage)}; no further run was started`,
      'free the missing resource (df -h, ulimit -a); then continue with the same command; what was finished is kept',
    )
  }
  if (errors.length > 0) throw errors[0]
  return { isHalted }
}

/** Whether the run has no complete grading and can get none, because its transcript was removed: then it is run again. */
function isUngradable({ plan, folder }: Execution, spec: RunSpec, { record, grading }: StoredRun): boolean {
  const one = plan.cases.find(({ eval_id }) => eval_id === spec.eval_id)
  const isOpen = grading === null || (grading.judge_errors ?? []).length > 0
  const isGraded = record.status === 'completed' && one !== undefined && one.expectations.length + one.checks.length > 0
  return isGraded && isOpen && readRemoved(runPaths(folder, spec.run_id).folder) !== null
}

/** The attempts at this run that the agent ended, with the recorded one. */
function countAgentCrashes(record: RunRecord): number {
  return (record.agent_crashes ?? 0) + (isAgentCrash(record) ? 1 : 0)
}

/** Whether a run may start. It releases its slot while it waits: a retry of an admitted run may need it. */
async function awaitAdmission(
  { spending }: LimitedBench,
  spec: RunSpec,
  { slot, drain }: { slot: JobSlot; drain: AbortSignal },
): Promise<boolean> {
  slot.release()
  if (!(await spending.admit(spec))) return false
  await slot.take()
  if (!drain.aborted) return spending.mayStart(spec)
  spending.drop(spec)
  return false
}

/** Executes a run here or elsewhere; with a refusal, only records that as its failure. */
function choosePerformer({ remote }: Execution, refusal: string | null): typeof performRun {
  if (refusal === null) return remote?.perform ?? performRun
  return (request) => recordFailedRun(request, { kind: 'setup', message: refusal }, new Date())
}

/** Releases the slot when the agent ends; a retry waits for a slot again. */
async function runAndCommit(execution: Execution, job: Job, context: FlowContext): Promise<RunRecord> {
  const { spec, slot, pace, setups } = job
  const { limited, plan } = execution
  const { retries } = plan.options
  context.emit({ type: 'run_started', ...runName(spec) })
  const partial = path.join(benchmarkPaths(execution.folder).partial, spec.run_id.replaceAll('/', '__'))
  const engine = withUserPrices(resolveRunEngine(spec), context.prices)
  using work = pace.begin()
  const gate = work.gate(engine, spec.engine)
  let failures = 0
  let { agentCrashes } = job
  const attempt = async (number: number): Promise<RunResult> => {
    await slot.take()
    if (existsSync(partial)) await rm(partial, { recursive: true, force: true })
    if (engine.hidesWork) context.emit({ type: 'run_step', ...runName(spec), doing: 'works' })
    const perform = choosePerformer(execution, setups.refusal(spec))
    const result = await perform({
      spec,
      engine,
      ...(spec.user_engine && { userEngine: withUserPrices(findEngine(spec.user_engine.name), context.prices) }),
      gate,
      skillFiles: (spec.skill && execution.skillFiles.get(spec.skill.sha256)) ?? [],
      amongFiles: execution.skillFiles,
      folder: partial,
      userEnv: context.env,
      passEnv: execution.passEnv,
      hidden: execution.hidden,
      sandbox: execution.sandbox,
      attempt: number,
      agentCrashes,
      onEvent: (event) => emitStep(context, spec, event),
      ...(execution.keepWork && { keepWork: true }),
      // under limits the next run starts when this one's cost is known
      onAgentEnd: () => (limited === null ? slot.release() : undefined),
      signal: context.signal,
      deadline: limited?.deadline ?? null,
    })
    if (!result.retry?.uncounted) failures += 1
    agentCrashes = countAgentCrashes(result.record)
    if (limited === null) return result
    const goesOn = limited.spending.attempted(spec, result.record, failures <= retries && result.retry !== null)
    slot.release()
    return goesOn ? result : { ...result, retry: null }
  }
  const result = await withRetry(attempt, {
    retries,
    signal: limited === null ? context.signal : AbortSignal.any([context.signal, limited.deadline]),
    onRetry: (number, wait_ms, last) => {
      if (last.record.status !== 'failed') return
      context.emit({ type: 'run_retried', ...runName(spec), attempt: number, ...last.record.error, wait_ms })
    },
  })
  const run = { benchmark: execution.folder, runId: spec.run_id, signer: findSigner(context.env) }
  await (result.place?.() ?? commitRun(partial, run))
  await execution.remote?.committed(spec)
  if (execution.cache !== null) await cacheNewRun(execution.cache, spec, result.record)
  return result.record
}

/** A completed run without a grading, or with open verdicts, keeps them: the judge still has to read them. */
export async function dropTranscript(folder: string, { run_id }: RunSpec, now: Date): Promise<void> {
  const stored = await readRun(folder, run_id)
  if (stored === null) return
  const { record, grading } = stored
  const isGraded = grading !== null && (grading.judge_errors ?? []).length === 0
  const isBroken = record.status === 'failed' || record.status === 'cancelled'
  if (isGraded || isBroken) await removeRunParts(runPaths(folder, run_id).folder, 'no_transcripts', now)
}
