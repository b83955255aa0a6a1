/** The world in which a Harbor task is solved and verified, on this machine or in a container. */
import type { HarborTask } from '../../../../schemas/harbor_task.ts'
import type { Sandbox, SandboxPolicy } from '../../../base/sandbox/policy.ts'

export interface HarborWorld extends AsyncDisposable {
  /** Folder of this machine that stands for / of the world; each of the task's places is a folder below it. */
  root: string
  /** The agent's working folder and home, as paths of this machine. */
  cwd: string
  home: string
  env: Record<string, string>
  /** Shows the task's places; tests and solution are not among them. */
  sandbox: Sandbox
  /** Follows the Dockerfile. Throws SetupError. */
  build(signal: AbortSignal): Promise<void>
  /** Ends what programs left running, and makes their files the user's. */
  settle(signal: AbortSignal): Promise<void>
}

export interface WorldRequest {
  task: HarborTask
  /** Temp directory of the run, absolute, for the folders `world` and `programs`. */
  temp: string
  /** The complete environment of the run; the world's variables are added. */
  env: Readonly<Record<string, string>>
  userEnv: Readonly<Record<string, string | undefined>>
  /** Without writable folders; null: no sandbox works on this machine, or none is wanted. */
  sandbox: Sandbox | null
  /** The same, for a container. */
  policy: SandboxPolicy
  /** While the Dockerfile is followed. */
  buildNetwork: SandboxPolicy['network']
  /** Files of this machine that the agent's own process needs, absolute; null: it does not run in the world. */
  programs: readonly string[] | null
}
