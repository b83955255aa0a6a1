/** Executes one job on a worker: fetches and verifies its inputs, runs it in a separate attempt, commits, and answers. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { QueueAnswer, QueueJob } from '../../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import type { SandboxChoice, SandboxWish } from '../../../base/sandbox/choose.ts'
import { withUserPrices } from '../../../engines/models/user_prices.ts'
import { findEngine } from '../../../engines/table.ts'
import type { AccountLimiters } from '../../../flows/limits/rate_limiters.ts'
import { resolveRunEngine } from '../../../flows/prepare/choose_engine.ts'
import { performRun, type RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'
import { promptFile, unpackInputs } from '../coordinator/pack_inputs.ts'
import type { Bundles, OpenBundle } from '../files/bundles.ts'
import { AttemptError, beginAttempt, commitAttempt, leaveAttempt, type SharedPaths } from '../files/shared_runs.ts'
import type { TakenJob } from '../server/transport.ts'
import { refuseCommands, refuseNetwork, refuseVariables } from './trusted_job.ts'

export interface WorkerServices {
  worker: string
  paths: SharedPaths
  bundles: Bundles
  pace: AccountLimiters
  env: Readonly<Record<string, string | undefined>>
  /** Hidden from agents: the shared folder, and the worker's bundles. */
  hidden: readonly string[]
  sandbox: (asked: QueueJob['sandbox']) => Promise<SandboxChoice>
  /** The sandbox settings of the worker's user. */
  own: SandboxWish
}

export interface JobExecution {
  taken: Pick<TakenJob, 'id' | 'signal'>
  deadline: AbortSignal
  /** Receives the record; if it rejects, the job ends with that error and the attempt is left uncommitted. */
  made: (record: RunRecord) => Promise<void>
}

/**
 * Rejects with the reason of `taken.signal` when aborted: the attempt then does not count. `deadline` aborted: the run ends at once, and
 * its record says so.
 */
export async function performJob(
  job: QueueJob,
  { taken, deadline, made }: JobExecution,
  services: WorkerServices,
): Promise<{ answer: QueueAnswer; result: RunResult }> {
  const place = services.paths.job(job.benchmark, taken.id)
  const { worker, env, hidden } = services
  const sandbox = await services.sandbox(job.sandbox)
  refuseNetwork(job, sandbox.mechanism, services.own)
  refuseVariables(job.run, sandbox)
  const begun = beginAttempt(place, { run_id: job.run.run_id, worker, started_at: new Date().toISOString() })
  begun.catch(() => {}) // awaited below, after the inputs
  await using inputs = await fetchInputs(job, services.bundles)
  const own = await begun
  const { run } = job
  using work = services.pace.begin()
  const request: RunRequest = {
    spec: inputs.spec,
    engine: withUserPrices(resolveRunEngine(inputs.spec), job.prices),
    ...(run.user_engine && { userEngine: withUserPrices(findEngine(run.user_engine.name), job.prices) }),
    gate: work.gate(findEngine(run.engine.name), run.engine),
    skillFiles: (run.skill && inputs.skills.get(run.skill.sha256)) ?? [],
    amongFiles: inputs.skills,
    folder: own.folder,
    userEnv: env,
    passEnv: job.pass_env,
    hidden,
    sandbox,
    ...{ attempt: job.attempt + own.mark.attempt - 1, mark: own.mark },
    ...(job.agent_crashes && { agentCrashes: job.agent_crashes }),
    ...(job.keep_work && { keepWork: true }),
    signal: taken.signal,
    deadline,
  }
  try {
    await refuseCommands(inputs, sandbox, services.own.trusted)
    const result = await performRun(request)
    await made(result.record)
    taken.signal.throwIfAborted()
    const sha256 = await commitAttempt(place, own)
    return { result, answer: { attempt: own.mark.attempt, sha256, retry: result.retry, worker } }
  } catch (error) {
    if (leaveAttempt(own) && !isShortage(error))
      throw new AttemptError(`${own.folder}: the job was removed in the meantime`, { cause: error })
    throw error
  }
}

/** Protects the bundles from pruning until disposed of. */
async function fetchInputs(job: QueueJob, bundles: Bundles) {
  const openBundles: OpenBundle[] = []
  const end = async () => {
    for (const one of openBundles.splice(0)) await one[Symbol.asyncDispose]()
  }
  const open = async (sha256: string): Promise<OpenBundle> => {
    const one = await bundles.get(sha256)
    openBundles.push(one)
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
