/** The place in which the tools of a task work. */
import { realpath } from 'node:fs/promises'
import { withTmp } from '../../base/sandbox/policy.ts'
import { viewOf } from '../../base/sandbox/view.ts'
import type { EngineTask } from '../engine.ts'
import type { ToolPlace } from './tools/tool.ts'

export async function placeOf(task: EngineTask, signal: AbortSignal): Promise<ToolPlace> {
  const { env } = task
  const sandbox = task.sandbox && withTmp(task.sandbox, env.TMPDIR ?? null)
  return {
    cwd: await realpath(task.cwd),
    env,
    confined: task.tools !== 'all',
    sandbox,
    view: sandbox === null ? null : await viewOf(sandbox, env.PATH ?? ''),
    signal,
  }
}
