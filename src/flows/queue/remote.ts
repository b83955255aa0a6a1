/** The coordinator's side: instead of making a run here, it goes into the queue, and what came of it comes back into the benchmark. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { jobVersion, type QueueJob, queueAnswer } from '../../../schemas/queue_job.ts'
import { syncFolder } from '../../base/durable.ts'
import { canonicalJson, checkAs, sha256 } from '../../base/json.ts'
import type { QueueAddress } from '../../jobs/queue/address.ts'
import type { Signer } from '../../jobs/queue/plug_in.ts'
import type { JobEnd, Transport } from '../../jobs/queue/transport.ts'
import type { RunRequest, RunResult } from '../../phases/2-run/run.ts'
import { noteAttempt } from '../../store/attempts.ts'
import { openBundles } from '../../store/bundles/bundles.ts'
import { sharedObjects } from '../../store/bundles/objects.ts'
import { attemptIn, dropJob, jobsLeft, keepOthers, type SharedAttempt } from '../../store/other_attempts.ts'
import {
  AttemptError,
  attemptFolder,
  type FetchedAttempt,
  fetchAttempt,
  makeRunsFolder,
  type SharedPaths,
  sharedPaths,
} from '../../store/shared_runs.ts'
import { placeRun, readRun } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import type { Remote } from '../execute.ts'
import type { Limited } from '../limited.ts'
import { spentByRun } from '../spent.ts'
import { type LimitTiming, shareLimit } from './account_limit.ts'
import { accountFor, atGate } from './at_gate.ts'
import { clearBroughtBack } from './brought_back.ts'
import { failedRun } from './failed_run.ts'
import { askToEnd, endedOf, endOf, isHeldAfter, whenAborted, whyFailed } from './job_ends.ts'
import { gatherLosses, type Losses } from './losses.ts'
import { needsOf, queueName } from './needs.ts'
import { hangOnBoard, type OnBoard } from './on_board.ts'
import { type Packing, packingInto } from './packing.ts'
import { queueIdOf } from './queue_id.ts'
import { traceIfAsked } from './trace_if_asked.ts'
import { tellUnmet } from './unmet.ts'

/** What a user asks of a queue. */
export interface QueueWish {
  address: QueueAddress
  /** A folder that the coordinator and all workers see. */
  shared: string
  /** Runs that are out at once. */
  atOnce: number
  /** How long a server is waited for that is away at the start; 0: not at all. */
  waitMs: number
  tags: readonly string[]
  signer: Signer | null
  /** Absent: the usual. */
  limits?: LimitTiming
}

export interface RemoteRequest {
  wish: QueueWish
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  sandbox: QueueJob['sandbox']
  idleMs: number | null
  limited: Limited | null
}

interface Out {
  id: string
  /** The attempt whose record is known here, and whether it has gone into the benchmark as it was; null: there is none. */
  taken: { attempt: number; isMoved: boolean } | null
  /** A worker has it still, though it was to end: what lies there is left to it, and to the next coordinator. */
  isHeld: boolean
}

interface Desk {
  request: RemoteRequest
  transport: Transport
  packing: Packing
  paths: SharedPaths
  benchmark: string
  /** Another coordinator has worked on it before. */
  isResumed: boolean
  queue: string
  board: OnBoard
  losses: Losses
  /** How it goes with what the server has brought back; null: it has lost nothing. */
  clearing: Promise<unknown> | null
  /** What is out of each run, by run id. */
  out: Map<string, Out[]>
}

export async function openRemote(
  request: RemoteRequest,
  transport: Transport,
  context: FlowContext,
): Promise<Remote & AsyncDisposable> {
  const { wish, plan, folder } = request
  const paths = sharedPaths(path.resolve(wish.shared))
  const needs = needsOf(plan.options.engine, wish.tags, context.env)
  const queue = queueName(needs)
  const desk: Desk = {
    request,
    transport,
    paths,
    packing: packingInto(await openBundles({ objects: sharedObjects(paths.bundles), cache: null })),
    ...(await queueIdOf(folder)),
    queue,
    board: await hangOnBoard(queue, needs, transport),
    losses: gatherLosses(
      () => {
        desk.clearing = clearBroughtBack(desk).catch(() => {}) // again at the end
      },
      (jobs) => context.emit({ type: 'queue_lost', place: transport.place, jobs }),
    ),
    clearing: null,
    out: new Map(),
  }
  makeRunsFolder(paths, desk.benchmark)
  const unmet = tellUnmet({ transport, queue: desk.queue, needs }, context)
  let closing: Promise<void> | null = null
  const limits = await shareLimit(
    accountFor(plan.options.engine, context.env),
    { transport, queue: desk.queue, account: needs.account, benchmark: desk.benchmark },
    wish.limits,
  )
  return {
    atOnce: wish.atOnce,
    perform: (run) => atGate(run, () => performElsewhere(run, desk)),
    committed: (spec) => putAway(spec, desk),
    [Symbol.asyncDispose]() {
      for (const one of [unmet, desk.board, desk.losses]) one[Symbol.dispose]()
      closing ??= limits
        .close()
        .then(() => desk.clearing)
        .then(() => clearAfter(desk, context.signal))
        .finally(() => traceIfAsked({ benchmark: desk.benchmark, plan }, context))
      return closing
    },
  }
}

async function performElsewhere(run: RunRequest, desk: Desk): Promise<RunResult> {
  const { spec, signal } = run
  const startedAt = new Date()
  const id = await jobId(run, desk)
  const out: Out = { id, taken: null, isHeld: false }
  desk.out.set(spec.run_id, [...(desk.out.get(spec.run_id) ?? []), out])
  const job = await jobOf(run, desk)
  const data = { ...job, signature: desk.request.wish.signer?.sign({ id, ...job }) ?? null }
  const deadline = run.deadline ?? null
  using ended = whenAborted(deadline, () => void askToEnd(id, 'deadline', desk).catch(() => {}))
  try {
    const end = await endOf({ job: { id, data }, signal, deadline }, desk)
    return await resultOf(end, { run, out, startedAt, ended: ended.aborted }, desk)
  } catch (error) {
    if (signal.aborted) out.isHeld = await isHeldAfter(id, desk)
    throw error
  }
}

/** The same run of the same benchmark is the same job, whoever asks for it; after a failed one is kept, another. */
async function jobId({ spec, attempt }: RunRequest, { request, benchmark }: Desk): Promise<string> {
  const before = await readRun(request.folder, spec.run_id)
  const round = before === null ? null : [before.record.key, before.record.started_at, before.record.ended_at]
  return sha256(canonicalJson([jobVersion, benchmark, spec.run_id, spec.key, round, attempt]))
}

/** Longer than jobs wait; who copied one can have it made again that long. */
const signedForMs = 7 * 24 * 3_600_000

async function jobOf(run: RunRequest, desk: Desk): Promise<QueueJob> {
  const { request } = desk
  const { spec } = run
  const packed = await desk.packing.inputs(spec)
  const prompt = await desk.packing.prompt(spec.prompt)
  const skills: [string, string][] = []
  for (const one of [...(spec.skill === null ? [] : [spec.skill]), ...(spec.among ?? [])]) {
    const files = one === spec.skill ? run.skillFiles : (run.amongFiles?.get(one.sha256) ?? [])
    skills.push([one.sha256, await desk.packing.skill(one.sha256, files)])
  }
  return {
    schema_version: jobVersion,
    benchmark: desk.benchmark,
    attempt: run.attempt,
    run: { ...packed.of(spec), ...(prompt !== null && { prompt: '' }) },
    inputs: packed.sha256,
    prompt,
    skills: Object.fromEntries(skills),
    pass_env: [...run.passEnv],
    sandbox: request.sandbox,
    idle_ms: request.idleMs,
    keep_work: run.keepWork ?? false,
    expires_at: new Date(Date.now() + signedForMs).toISOString(),
    signature: null,
  }
}

interface Ended {
  run: RunRequest
  out: Out
  startedAt: Date
  /** The deadline was reached. */
  ended: boolean
}

async function resultOf(end: JobEnd, { run, out, startedAt, ended }: Ended, desk: Desk): Promise<RunResult> {
  switch (end.as) {
    case 'gone':
      return await failedRun(run, 'cancelled', startedAt)
    case 'failed': {
      return await failedRun(run, ended ? 'cancelled' : whyFailed(end.reason), startedAt)
    }
    case 'done': {
      const answer = checkAs(queueAnswer, end.value, `answer of job ${out.id}`)
      try {
        const { record, by } = await fetchAttempt(desk.paths.job(desk.benchmark, out.id), answer, run.folder)
        out.taken = { attempt: answer.attempt, isMoved: false }
        return { record, retry: answer.retry, ...placeOf(by, { run, out, attempt: answer.attempt }, desk) }
      } catch (error) {
        if (!(error instanceof AttemptError)) throw error
        const message = `made by ${answer.worker}: ${error.message}`
        return await failedRun(run, { kind: 'crash', message }, startedAt) // an agent worked, and nobody knows what it cost
      }
    }
  }
}

/** How a fetched attempt gets into the benchmark. */
function placeOf(
  by: FetchedAttempt['by'],
  { run, out, attempt }: { run: RunRequest; out: Out; attempt: number },
  { request, paths, benchmark }: Desk,
): Pick<RunResult, 'place'> {
  const into = (folder: string) => placeRun(folder, request.folder, run.spec.run_id)
  switch (by) {
    case 'moved':
      return {
        place: async () => {
          await into(attemptFolder(paths.job(benchmark, out.id), attempt))
          out.taken = { attempt, isMoved: true }
        },
      }
    case 'linked':
      return {
        place: async () => {
          await syncFolder(run.folder) // its files are durable, their names here are not
          await into(run.folder)
        },
      }
    case 'copied':
      return {}
  }
}

/** After the commit: the jobs are forgotten, attempts that did not count are kept beside the benchmark. */
async function putAway(spec: RunSpec, desk: Desk): Promise<void> {
  const { run_id } = spec
  const outs = desk.out.get(run_id) ?? []
  desk.out.delete(run_id)
  for (const { id, taken } of outs) {
    if (taken?.isMoved && taken.attempt === 1) continue // the rest, if there is any, is found by the look at all at the end
    const kept = keptPlace(desk.request.folder, run_id, id)
    const told = (other: SharedAttempt) => noteOther(other, { job: id, spec }, desk)
    const there = taken === null || taken.isMoved ? null : taken.attempt
    const upTo = taken?.attempt ?? 0
    await keepOthers(desk.paths.job(desk.benchmark, id), { taken: there, upTo, to: kept, told })
  }
  await desk.transport.remove(
    desk.queue,
    outs.map(({ id }) => id),
  )
}

/** An attempt that does not count was paid for: in attempts.jsonl, and against the budget. */
function noteOther({ mark, record }: SharedAttempt, { job, spec }: { job: string; spec: RunSpec }, desk: Desk): void {
  const { usd, tokens } = record === null ? { usd: null, tokens: null } : spentByRun(record)
  const { attempt, worker, started_at } = mark
  const status = record?.status ?? null
  noteAttempt(desk.request.folder, { run_id: spec.run_id, job, attempt, worker, started_at, status, usd, tokens })
  desk.request.limited?.spending.lost(spec, { started_at, usd, tokens })
}

/** What a coordinator left that was killed between commit and clearing is put away like the rest. */
async function clearAfter(desk: Desk, signal: AbortSignal): Promise<void> {
  const { transport, queue, paths, benchmark, request } = desk
  const specs = new Map(request.plan.runs.map((spec) => [spec.run_id, spec]))
  const held = new Set([...desk.out.values()].flatMap((outs) => outs.flatMap(({ id, isHeld }) => (isHeld ? [id] : []))))
  // of one whose benchmark is another's by now, that one takes what is there still
  const isAll = (desk.isResumed || desk.clearing !== null) && !signal.aborted
  try {
    if (isAll) for (const id of await clearBroughtBack(desk)) held.add(id)
    for (const { id, runId, upTo } of jobsLeft(paths.benchmark(benchmark))) {
      if (held.has(id)) continue
      const spec = runId === null ? undefined : specs.get(runId)
      const place = paths.job(benchmark, id)
      if (spec === undefined) {
        dropJob(place, upTo) // it had not begun
        continue
      }
      const taken = attemptIn(place, { run: path.join(request.folder, spec.run_id), upTo })
      const told = (other: SharedAttempt) => noteOther(other, { job: id, spec }, desk)
      await keepOthers(place, { taken, upTo, to: keptPlace(request.folder, spec.run_id, id), told })
      await transport.remove(queue, [id])
    }
    if (!isAll) return
    const ended = await endedOf(benchmark, desk)
    await transport.remove(
      queue,
      ended.filter((id) => !held.has(id)),
    )
  } finally {
    await transport[Symbol.asyncDispose]()
  }
}

/** Where attempts that do not count are kept, beside the benchmark's runs. */
function keptPlace(folder: string, runId: string, job: string): string {
  return path.join(folder, '.attempts', runId, job.slice(0, 8))
}
