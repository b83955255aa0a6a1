/** What it takes to execute one run. */
import type { RunSpec } from '../../../schemas/plan.ts'
import type { AttemptMark } from '../../../schemas/timing.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { EmittedEvent, Engine } from '../../engines/engine.ts'
import type { RateLimiter } from '../../engines/limits/rate_limiter.ts'

export interface RunRequest {
  spec: RunSpec
  engine: Engine
  /** Files of `spec.skill`, from skillFiles; ignored in a configuration without a skill. */
  skillFiles: readonly WalkedFile[]
  /** Files of each of `spec.among`, by its sha256; absent: none. */
  amongFiles?: ReadonlyMap<string, readonly WalkedFile[]>
  /** Folder to fill, absolute; not read before it is committed. */
  folder: string
  /** The user's environment; the run's own derives from it. */
  userEnv: Readonly<Record<string, string | undefined>>
  passEnv: readonly string[]
  /** Folders that PATH must not contain. */
  hidden: readonly string[]
  sandbox: SandboxChoice
  attempt: number
  /** Earlier attempts that the agent ended; absent: none. */
  agentCrashes?: number
  /** Already in the folder's timing.json, and kept there; absent: nothing is there, and the folder may not exist. */
  mark?: AttemptMark
  /** Whether to keep the working folder as `work` in the run's folder. */
  keepWork?: boolean
  /** Called when the agent ends in time or at its limit, before collecting; not after a failure, which may stop all runs. */
  onAgentEnd?: () => void
  /** Called for each thing that the agent does, at once; absent: no progress is shown. */
  onEvent?: (event: EmittedEvent) => void
  /** Limits calls to the engine's account, the same for each attempt; absent: no limit. */
  gate?: RateLimiter | undefined
  /** Plays the user of the case and decides its conditions; absent: the engine that `spec.user_engine` names. */
  userEngine?: Engine
  signal: AbortSignal
  /** Aborted: the run ends at once with status `cancelled`; null: no deadline. */
  deadline?: AbortSignal | null
}

export type LimitedRunRequest = RunRequest & { gate: RateLimiter }
