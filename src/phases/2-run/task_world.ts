/** The world of a task that brings its own, such as the image of a container, in place of a working folder. A feature opens it. */
import type { HarborTask } from '../../../schemas/harbor_task.ts'
import type { Sandbox, SandboxPolicy } from '../../base/sandbox/policy.ts'

export interface TaskWorld extends AsyncDisposable {
  /** The agent's working folder and home, as paths of this machine. */
  cwd: string
  home: string
  env: Record<string, string>
  /** Shows the task's places; tests and solution are not among them. */
  sandbox: Sandbox
  /** Throws SetupError. */
  build(signal: AbortSignal): Promise<void>
  /** Ends what programs left running, and makes their files the user's. */
  settle(signal: AbortSignal): Promise<void>
  /** Runs the task's verifier after the agent ended, when only `build` and `settle` came before. */
  verify(request: VerifyRequest): Promise<unknown>
}

export interface VerifyRequest {
  /** Folder to fill with what the verifier wrote, and its output.txt. */
  folder: string
  /** The skills folders in the working folder, which no verifier should see. */
  skillsFolders: readonly string[]
  signal: AbortSignal
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
  policy: SandboxPolicy
  /** While the world is built. */
  buildNetwork: SandboxPolicy['network']
  /** Files of this machine that the agent's own process needs, absolute; null: it does not run in the world. */
  programs: readonly string[] | null
}

/** Lays out the folders; builds nothing yet. Throws SetupError when the world can't be here. */
type OpenWorld = (request: WorldRequest) => Promise<TaskWorld>

/** By the field of a case that holds its task. */
export const taskWorlds: { harbor?: OpenWorld } = {}

/** Adds those of features; again changes nothing. */
export function addTaskWorlds(more: Readonly<typeof taskWorlds>): void {
  Object.assign(taskWorlds, more)
}
