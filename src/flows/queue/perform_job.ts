/** A worker performs one job: its inputs fetched and checked, the run made in an attempt of its own, committed, answered. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { QueueAnswer, QueueJob } from '../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { Rooms } from '../../base/rooms.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { isShortage } from '../../base/shortage.ts'
import { engineNamed } from '../../engines/table.ts'
import type { TakenJob } from '../../jobs/queue/transport.ts'
import { performRun, type RunRequest, type RunResult } from '../../phases/2-run/run.ts'
import type { Bundles, OpenBundle } from '../../store/bundles/bundles.ts'
import { AttemptError, beginAttempt, commitAttempt, leaveAttempt, type SharedPaths } from '../../store/shared_runs.ts'
import { engineOf } from '../engine_of.ts'
import type { Pace } from '../pace.ts'
import { unpackInputs } from './inputs.ts'
import { promptFile } from './packing.ts'

export interface Workshop {
  /** How this worker is known. */
  worker: string
  paths: SharedPaths
  bundles: Bundles
  pace: Pace
  rooms: Rooms
  env: Readonly<Record<string, string | undefined>>
  /** What no agent may see: the shared folder, and what this worker keeps. */
  hidden: readonly string[]
  sandbox: (asked: QueueJob['sandbox']) => Promise<SandboxChoice>
}

export interface Performing {
  taken: Pick<TakenJob, 'id' | 'signal'>
  deadline: AbortSignal
  /** Gets the record; what it rejects with becomes the end of the job, and the attempt is left. */
  made: (record: RunRecord) => Promise<void>
}

/** What was done, for those who watch. */
export interface Performed {
  answer: QueueAnswer
  result: RunResult
}

/**
 * Rejects with the reason of `taken.signal` when it is aborted: nothing of the attempt counts then. `deadline` aborted: the run
 * ends now, and its record says so.
 */
export async function performJob(
  job: QueueJob,
  { taken, deadline, made }: Performing,
  shop: Workshop,
): Promise<Performed> {
  const place = shop.paths.job(job.benchmark, taken.id)
  const { worker, env, hidden } = shop
  const begun = beginAttempt(place, { run_id: job.run.run_id, worker, started_at: new Date().toISOString() })
  begun.catch(() => {}) // looked at when the inputs are there
  await using inputs = await fetchInputs(job, shop.bundles)
  const own = await begun
  const { run } = job
  const request: RunRequest = {
    spec: inputs.spec,
    engine: engineOf(inputs.spec),
    gate: shop.pace.gate(engineNamed(run.engine.name), run.engine),
    skillFiles: (run.skill && inputs.skills.get(run.skill.sha256)) ?? [],
    amongFiles: inputs.skills,
    folder: own.folder,
    userEnv: env,
    passEnv: job.pass_env,
    hidden,
    sandbox: await shop.sandbox(job.sandbox),
    rooms: shop.rooms,
    ...{ attempt: job.attempt + own.mark.attempt - 1, mark: own.mark },
    ...(job.keep_work && { keepWork: true }),
    durable: true,
    signal: taken.signal,
    deadline,
  }
  try {
    const result = await performRun(request)
    await made(result.record)
    taken.signal.throwIfAborted()
    const sha256 = await commitAttempt(place, own, result.durable)
    return { result, answer: { attempt: own.mark.attempt, sha256, retry: result.retry, worker } }
  } catch (error) {
    if (leaveAttempt(own) && !isShortage(error))
      throw new AttemptError(`${own.folder}: the job was put away meanwhile`, { cause: error })
    throw error
  }
}

/** Held until disposed of: nothing of them is pruned meanwhile. */
async function fetchInputs(job: QueueJob, bundles: Bundles) {
  const held: OpenBundle[] = []
  const end = async () => {
    for (const one of held.splice(0)) await one[Symbol.asyncDispose]()
  }
  const open = async (sha256: string): Promise<OpenBundle> => {
    const one = await bundles.get(sha256)
    held.push(one)
    return one
  }
  try {
    const folder = job.inputs === null ? '' : (await open(job.inputs)).folder
    const prompt =
      job.prompt === null
        ? job.run.prompt
        : readFileSync(path.join((await open(job.prompt)).folder, promptFile), 'utf8')
    const skills = new Map<string, OpenBundle['files']>()
    for (const [version, bundle] of Object.entries(job.skills)) skills.set(version, (await open(bundle)).files)
    return { spec: { ...(await unpackInputs(job.run, folder)), prompt }, skills, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}
