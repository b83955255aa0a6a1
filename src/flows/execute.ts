/** Performs a plan: runs and gradings side by side without a barrier; what is finished on disk is not done again. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import { IncompleteError, messageOf } from '../base/error.ts'
import type { WalkedFile } from '../base/files.ts'
import { Rooms } from '../base/rooms.ts'
import type { SandboxChoice } from '../base/sandbox/choose.ts'
import { isShortage } from '../base/shortage.ts'
import { runLocal, type Slot } from '../jobs/local.ts'
import { withRetry } from '../jobs/retry.ts'
import { performRun, type RunResult } from '../phases/2-run/run.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { commitRun, readRun, type StoredRun } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { engineOf } from './engine_of.ts'
import { gradeWithin, mayGrade } from './grade_within.ts'
import type { Limited } from './limited.ts'
import { openPace, type Pace, type PaceOptions } from './pace.ts'
import { keepMade, type RunCache } from './run_cache.ts'
import { runFinished, runName } from './run_events.ts'
import { type StartQueue, startQueue } from './start_order.ts'

export interface Execution {
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  /** Files of each skill version by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
  concurrency: number
  /** What decides which runs may start; null: all. */
  limited: Limited | null
  /** null: nothing is reused or kept. */
  cache: RunCache | null
  /** Runs that are on disk and graded already, by run id: nothing is done for them. */
  settled: Pick<ReadonlySet<string>, 'has'>
  /** True: nothing is to be graded. */
  ungraded?: boolean
  /** In which order runs start; absent: by what earlier benchmarks took. */
  queue?: StartQueue<RunSpec>
  /** Absent: the pace is found by trying. */
  pace?: PaceOptions | undefined
  /** Whether the agents' working folders are kept beside what they left behind. */
  keepWork?: boolean
  /** Runs are made elsewhere; absent: here. */
  remote?: Remote | null
}

/** Who makes runs elsewhere, and how many are out at once. */
export interface Remote {
  readonly atOnce: number
  perform: typeof performRun
  /** The run is committed to the benchmark: what lies elsewhere of it is not needed any more. */
  committed: (spec: RunSpec) => Promise<void>
}

interface Job {
  spec: RunSpec
  slot: Slot
  pace: Pace
  rooms: Rooms
}

/** Every run is made. */
export const uncached: Pick<Execution, 'cache' | 'settled'> = { cache: null, settled: new Set() }

/** Errors that would meet every further run of its arm just the same: nothing new is paid for after one. */
const hopeless = new Set(['credentials', 'missing_binary', 'contaminated', 'skill_not_offered'])

/**
 * Runs and grades what is missing. `isHalted`: not all was started, or nothing more should be. Throws the first unexpected
 * error after everything else has ended.
 */
export async function execute(execution: Execution, context: FlowContext): Promise<{ isHalted: boolean }> {
  using pace = openPace(execution.pace, context)
  await using rooms = new Rooms()
  const stop = new AbortController()
  const drain = AbortSignal.any([context.drain, stop.signal])
  const gradeLimit = pLimit(execution.concurrency)
  const gradings = new Set<Promise<void>>()
  const ungraded: unknown[] = []
  const limited = execution.limited
  const orStop = async (work: Promise<void>) => {
    await work.catch((error: unknown) => {
      if (limited?.deadline.aborted && error === limited.deadline.reason) return
      if (isShortage(error)) stop.abort(messageOf(error))
      throw error
    })
  }
  const grade = (spec: RunSpec, stored: StoredRun) => {
    if (execution.ungraded) return limited?.spending.graded(spec, null, stored.record)
    const request = { spec, stored, again: false, ...execution, pace }
    const grading = gradeLimit(() => orStop(gradeWithin(limited, request, context)))
      .catch((error: unknown) => void ungraded.push(error)) // looked at when all runs have ended
      .finally(() => gradings.delete(grading))
    gradings.add(grading)
  }
  const missing = execution.plan.runs.filter(({ run_id }) => !execution.settled.has(run_id))
  const queue = limited?.queue ?? execution.queue ?? (await startQueue(missing, execution.folder))
  const perform = async (spec: RunSpec, slot: Slot) => {
    if (execution.settled.has(spec.run_id)) return
    const stored = await readRun(execution.folder, spec.run_id)
    if (stored !== null && isDone(stored, spec)) {
      slot.release()
      if (await mayGrade(limited, spec, stored)) grade(spec, stored)
      return
    }
    if (limited !== null && !(await isLetIn(limited, spec, { slot, drain }))) return
    const record = await runAndCommit(execution, { spec, slot, pace, rooms }, context).catch((error: unknown) => {
      limited?.spending.drop(spec)
      throw error
    })
    if (record.status !== 'failed') queue.learn(spec.eval_id, record.duration_ms / 1000)
    context.emit(runFinished(spec, record))
    if (record.status === 'failed' && hopeless.has(record.error.kind)) stop.abort(record.error.message)
    grade(spec, { record, grading: null, timing: null, metrics: null })
  }
  const next = () => {
    const spec = queue.next()
    return spec && ((slot: Slot) => orStop(perform(spec, slot)))
  }
  const concurrency = execution.remote?.atOnce ?? execution.concurrency
  const { errors } = await runLocal(next, { concurrency, drain, signal: context.signal })
  await Promise.all(gradings)
  await rm(benchmarkPaths(execution.folder).partial, { recursive: true, force: true })
  const isHalted = drain.aborted || (limited !== null && limited.stopped() !== null)
  if (context.signal.aborted) return { isHalted }
  errors.push(...ungraded)
  const shortage = errors.find(isShortage)
  if (shortage !== undefined) {
    throw new IncompleteError(
      `${execution.folder}: ${messageOf(shortage)}; no further run was started`,
      'free what is short (df -h, ulimit -a); then the same command goes on, and what was finished is kept',
    )
  }
  if (errors.length > 0) throw errors[0]
  return { isHalted }
}

/** Whether a run may start. Whoever waits to be let in holds no place: another attempt of a run that was let in may need it. */
async function isLetIn(
  { spending }: Limited,
  spec: RunSpec,
  { slot, drain }: { slot: Slot; drain: AbortSignal },
): Promise<boolean> {
  slot.release()
  if (!(await spending.admit(spec))) return false
  await slot.take()
  if (!drain.aborted) return spending.mayStart(spec)
  spending.drop(spec)
  return false
}

/** Whether a run on disk is the planned one and ended for good. */
export function isDone(stored: StoredRun, spec: RunSpec): boolean {
  return (
    stored.record.key === spec.key && (stored.record.status === 'completed' || stored.record.status === 'timed_out')
  )
}

/** The place is given to the next run as soon as the agent has ended; a further attempt waits for one again. */
async function runAndCommit(execution: Execution, job: Job, context: FlowContext): Promise<RunRecord> {
  const { spec, slot, pace, rooms } = job
  const { limited, plan } = execution
  const { retries } = plan.options
  context.emit({ type: 'run_started', ...runName(spec) })
  const partial = path.join(benchmarkPaths(execution.folder).partial, spec.run_id.replaceAll('/', '__'))
  const engine = engineOf(spec)
  const gate = pace.gate(engine, spec.engine)
  let failures = 0
  const attempt = async (number: number): Promise<RunResult> => {
    await slot.take()
    if (existsSync(partial)) await rm(partial, { recursive: true, force: true })
    const result = await (execution.remote?.perform ?? performRun)({
      spec,
      engine,
      gate,
      skillFiles: (spec.skill && execution.skillFiles.get(spec.skill.sha256)) ?? [],
      amongFiles: execution.skillFiles,
      folder: partial,
      userEnv: context.env,
      passEnv: execution.passEnv,
      hidden: execution.hidden,
      sandbox: execution.sandbox,
      rooms,
      attempt: number,
      ...(execution.keepWork && { keepWork: true }),
      durable: true,
      // under limits the next one starts when it is known what this one took
      onAgentEnd: () => (limited === null ? slot.release() : undefined),
      signal: context.signal,
      deadline: limited?.deadline ?? null,
    })
    if (!result.retry?.uncounted) failures += 1
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
  await (result.place?.() ?? commitRun(partial, execution.folder, spec.run_id, result.durable?.paths))
  await execution.remote?.committed(spec)
  if (execution.cache !== null) await keepMade(execution.cache, spec, result.record)
  return result.record
}
