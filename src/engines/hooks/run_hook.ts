/** Runs one hook: a shell command in the working folder, with the event as JSON on its stdin. */
import type { HookEntry } from '../../../schemas/environment.ts'
import { runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withReadable } from '../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { EngineTask } from '../engine.ts'
import type { HookEnd } from './hook_outcome.ts'

const defaultSeconds = 600
const longestSeconds = 3600
const outputLimit = 1024 * 1024

export interface HookPlace {
  task: Pick<EngineTask, 'cwd' | 'env' | 'sandbox' | 'environment'>
  signal: AbortSignal
}

/** Resolves however the hook ends, even if its command can't start; rejects only when aborted. The hook gets no credentials. */
export async function runHook(
  entry: HookEntry,
  input: { hook_event_name: string; tool_name?: string },
  { task, signal }: HookPlace,
): Promise<HookEnd> {
  const about = { event: input.hook_event_name, tool: input.tool_name }
  const seconds = Math.min(entry.timeout ?? defaultSeconds, longestSeconds)
  using limit = startTimeLimit(seconds * 1000, [signal])
  try {
    const end = await runProcess({
      command: '/bin/sh',
      args: ['-c', entry.command ?? ''],
      cwd: task.cwd,
      env: { ...task.env, CLAUDE_PROJECT_DIR: task.cwd },
      stdin: JSON.stringify(input),
      stdoutLimit: outputLimit,
      signal: limit.signal,
      sandbox: withReadable(task.sandbox, task.environment === undefined ? [] : [task.environment.folder]),
    })
    return { ...about, exitCode: end.exitCode, stdout: end.stdout, stderr: end.stderrTail }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.signal.aborted && !(error instanceof SpawnError)) throw error
    const stderr = limit.signal.aborted ? `no end within ${seconds} s` : String(error)
    return { ...about, exitCode: null, stdout: '', stderr }
  }
}
