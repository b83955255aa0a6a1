/** Validates a job before a worker accepts it: format, signature, engine, network, and no access to the queue's secrets. */
import type { RunSpec } from '../../../../schemas/plan.ts'
import { type QueueJob, queueJob } from '../../../../schemas/queue_job.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { checkAs } from '../../../base/json/json.ts'
import type { SandboxChoice, SandboxMode, SandboxWish } from '../../../base/sandbox/choose.ts'
import { explainRefusal, suiteVariables, variableRule } from '../../../base/secrets/suite_variables.ts'
import { readEnvironmentCommands, readSkillCommands } from '../../../phases/1-plan/skill/skill_commands.ts'
import { listCommands } from '../../../phases/1-plan/suite/suite_commands.ts'
import { findHiddenName } from '../../../phases/2-run/workspace/run_environment.ts'
import { shortenText } from '../../../phases/4-report/text/format.ts'
import type { Signer } from '../server/sign.ts'
import type { TakenJob } from '../server/transport.ts'

export interface JobTrust {
  /** null: accepts jobs from everyone, of any age. */
  signer: Signer | null
  now: Date
  /** This worker's engines. */
  engines: readonly string[]
  refused: (reason: string) => void
}

interface FetchedRun {
  spec: RunSpec
  /** The files of each skill version, by its sha256. */
  skills: ReadonlyMap<string, readonly WalkedFile[]>
}

/**
 * Throws if no sandbox would confine the commands of the job's suite and skills, unless the worker's user has allowed
 * that. Skills are read from their files, because anyone who can write to a queue can say what a skill starts.
 */
export async function refuseCommands(
  { spec, skills }: FetchedRun,
  sandbox: SandboxChoice,
  trusted = false,
): Promise<void> {
  if (trusted || sandbox.mechanism !== 'none') return
  const commands = await readEnvironmentCommands(spec.environment)
  for (const one of [spec.skill, ...(spec.among ?? [])])
    if (one !== null) commands.push(...(await readSkillCommands(skills.get(one.sha256) ?? [], one.name)))
  const [first] = listCommands([{ ...spec, checks: [] }], () => ({ hashes: [], commands }))
  if (first === undefined) return
  throw new Error(
    `the job contains commands (${first.kind}: ${shortenText(first.command)}) and this worker has no sandbox (${sandbox.reason}): start it with --trust-suite, or where bubblewrap works`,
  )
}

/** Throws if the job sets a variable that only --trust-suite allows: its result would be stored as that of a run which had it. */
export function refuseVariables({ environment }: RunSpec, sandbox: SandboxChoice): void {
  const [name] = suiteVariables(environment?.env, variableRule(sandbox)).refused
  if (name === undefined) return
  throw new Error(
    `the job sets the variable ${name}: ${explainRefusal(name).reason}; start the worker with --trust-suite if you trust its suites`,
  )
}

/** Throws if the job would open the sandbox's network without the worker's user having allowed it. */
export function refuseNetwork({ sandbox: asked }: QueueJob, mechanism: SandboxChoice['mechanism'], own: SandboxWish) {
  const { network } = asked
  if (network === null || network === 'none' || own.network !== null || mechanism === 'none') return
  const what = network === 'setup' ? 'an open network for setup' : 'an open network'
  throw new Error(
    `the job asks for ${what}, which this worker does not give: start the worker with --network ${network}, or the benchmark with --network none`,
  )
}

/** Reports the reason, then throws it as the job's failure. */
export function parseTrustedJob(
  taken: Pick<TakenJob, 'id' | 'data'>,
  { signer, now, engines, refused }: JobTrust,
): QueueJob {
  try {
    const job = checkAs(queueJob, taken.data, 'job')
    if (signer !== null && !signer.verify({ id: taken.id, ...job, signature: null }, job.signature)) {
      throw new Error('the job is not signed with the key of this worker (--key-file)')
    }
    if (signer !== null && now.getTime() > Date.parse(job.expires_at)) {
      const [until, here] = [job.expires_at, now.toISOString()]
      throw new Error(
        `the job is signed until ${until}, and the clock of this worker says ${here}: run the same command again to sign it again`,
      )
    }
    // anyone who can write to a queue can add a job for another engine
    if (!engines.includes(job.run.engine.name))
      throw new Error(`the job is of the engine ${job.run.engine.name}, which this worker does not offer (--engines)`)
    const wanted = findHiddenName(job.pass_env)
    if (wanted !== undefined) throw new Error(`the job asks for ${wanted}, which runs may not see`)
    return job
  } catch (error) {
    refused(errorMessage(error))
    throw error
  }
}

const strictness = { off: 0, auto: 1, required: 2 } satisfies Record<SandboxMode, number>

/** A benchmark can only ask for a stricter mode. It decides on the network unless the worker does. */
export function chooseStricterSandbox(own: SandboxWish, asked: QueueJob['sandbox']): SandboxWish {
  const mode = strictness[asked.mode] > strictness[own.mode] ? asked.mode : own.mode
  const { anyVariable, network, readable } = own
  return { mode, network: network ?? asked.network, readable, ...(anyVariable && { anyVariable }) }
}
