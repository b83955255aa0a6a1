/** Prepares the place where the tools of a task work. */
import { realpath } from 'node:fs/promises'
import { withTmp } from '../../base/sandbox/policy.ts'
import { createSandboxView } from '../../base/sandbox/sandbox_view.ts'
import type { EngineTask } from '../engine.ts'
import type { ToolPlace } from './tools/tool.ts'

/** The working folder with links resolved, and the task's sandbox, if any, with the run's TMPDIR as its /tmp. */
export async function openToolPlace(task: EngineTask, signal: AbortSignal): Promise<ToolPlace> {
  const { env } = task
  const sandbox = task.sandbox && withTmp(task.sandbox, env.TMPDIR ?? null)
  return {
    cwd: await realpath(task.cwd),
    env,
    confined: task.tools !== 'all',
    sandbox,
    view: sandbox === null ? null : await createSandboxView(sandbox, env.PATH ?? ''),
    signal,
  }
}
