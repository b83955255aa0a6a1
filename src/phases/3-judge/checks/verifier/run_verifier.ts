/** Runs a program of the suite in the copy of the working folder, within its time and the sandbox. */
import { type ProcessEnd, runProcess, SpawnError } from '../../../../base/process/spawn.ts'
import { withReadable } from '../../../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../../../base/time/time_limit.ts'
import type { CheckContext } from '../inputs/check_input.ts'
import type { CheckFolders } from '../inputs/working_folder.ts'
import { openCheckEnvironment } from './check_environment.ts'

const defaultSeconds = 60
const keptLines = 30

export interface VerifierProgram {
  command: string
  args: readonly string[]
  stdin?: string
  /** Seconds; absent: 60. */
  timeout?: number | undefined
  /** Bytes kept of stdout; absent: only its last lines. */
  stdoutLimit?: number
  /** Further places that it may read, absolute; absent: none. */
  readable?: readonly string[]
}

/** `output`: the last lines of stdout. */
export type VerifierEnd =
  | { end: 'exited'; process: ProcessEnd; output: string }
  | { end: 'timed_out'; seconds: number; output: string }
  | { end: 'not_started'; error: SpawnError }

/** Rejects only when aborted or on a bug. */
export async function runVerifier(
  program: VerifierProgram,
  context: CheckContext,
  place: CheckFolders,
): Promise<VerifierEnd> {
  const seconds = program.timeout ?? defaultSeconds
  const { env, writable, readable } = await openCheckEnvironment(context.env, place)
  using limit = startTimeLimit(seconds * 1000, [context.signal])
  const lines: string[] = []
  const sandbox = context.sandboxFor?.([place.cwd, ...writable]) ?? null
  try {
    const process = await runProcess({
      command: program.command,
      args: program.args,
      cwd: place.cwd,
      env,
      ...(program.stdin !== undefined && { stdin: program.stdin }),
      signal: limit.signal,
      stdoutLimit: program.stdoutLimit ?? 0,
      sandbox: withReadable(sandbox, [...readable, ...(program.readable ?? [])]),
      onLine: (line) => {
        lines.push(line)
        if (lines.length > keptLines) lines.shift()
        return undefined
      },
    })
    return { end: 'exited', process, output: lines.join('\n') }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SpawnError) return { end: 'not_started', error }
    if (!limit.signal.aborted) throw error
    return { end: 'timed_out', seconds, output: lines.join('\n') }
  }
}
