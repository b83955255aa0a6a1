/** The settings with which opencode is started. */
import type { EngineTask } from '../engine.ts'

/** How the program is started, whatever its arguments are. */
export interface Launch {
  command: string
  cwd: string
  env: Readonly<Record<string, string>>
  sandbox: EngineTask['sandbox']
  signal: AbortSignal
}
