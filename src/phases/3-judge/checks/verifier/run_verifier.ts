/** Runs a program of the suite in the copy of the working folder, within its time and the sandbox. */
import type { CheckFile } from '../../../../../schemas/checks/verifier.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../../../base/process/spawn.ts'
import { withReadable } from '../../../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../../../base/time/time_limit.ts'
import type { CheckContext } from '../inputs/check_input.ts'
import { type CheckFolders, useWorkingFolder } from '../inputs/working_folder.ts'
import { openCheckEnvironment } from './check_environment.ts'
import { putGradingFiles } from './grading_files.ts'

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

/** What a program of the suite says where the agent left nothing; "" if it can't be run there. */
export async function outputInEmptyFolder(
  files: readonly CheckFile[],
  context: CheckContext,
  run: (place: CheckFolders) => Promise<VerifierEnd>,
): Promise<string> {
  const said = await useWorkingFolder({ ...context, restore: async () => {} }, async (place) => {
    const problem = await putGradingFiles(files, context, place)
    const end = problem ?? (await run(place))
    if (!('end' in end) || end.end !== 'exited') return ''
    return [end.output, end.process.stdout, end.process.stderrTail].join('\n')
  })
  return typeof said === 'string' ? said : ''
}
