/** The world in which a Harbor task is solved and verified, and how a program runs in it, as its own processes see it. */
import path from 'node:path'
import { runProcess, SpawnError } from '../../base/process/spawn.ts'
import { suiteVariables } from '../../base/secrets/suite_variables.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { TaskWorld } from '../../phases/2-run/task_world.ts'

export interface HarborWorld extends Omit<TaskWorld, 'verify'> {
  /** Folder of this machine that stands for / of the world; each of the task's places is a folder below it. */
  root: string
}

export interface WorldProgram {
  words: readonly [string, ...string[]]
  /** Absolute path inside the world. */
  workdir: string
  /** Further variables; those that a suite may not set are left out. */
  env: Readonly<Record<string, string>>
  seconds: number
  /** Further folders of the world to show, such as /tests; absent: none. */
  shows?: readonly string[]
  signal: AbortSignal
}

export interface WorldEnd {
  /** null: it did not end in time, or by a signal. */
  exitCode: number | null
  /** How it ended, for messages: "exit code 1", "no end within 60 s". */
  ending: string
  /** Standard output and error together, the last 2,000 lines. */
  output: string
}

const keptLines = 2000
/** A longer line is left out, so that a program without an end does not fill this machine's memory. */
const longestLine = 10_000

/** Rejects when aborted, or when the program can't start. */
export async function runInWorld(world: HarborWorld, program: WorldProgram): Promise<WorldEnd> {
  const { words, workdir, seconds, shows = [] } = program
  const { policy } = world.sandbox
  const shown = shows.map((at) => ({ from: path.join(world.root, at), at }))
  const writable = [...policy.writable, ...shown.map(({ from }) => from)]
  const places = [...(policy.places ?? []), ...shown]
  const lines: string[] = []
  using limit = startTimeLimit(seconds * 1000, [program.signal])
  const output = () => lines.join('\n')
  try {
    const end = await runProcess({
      command: 'sh',
      args: ['-c', 'exec 2>&1; exec "$@"', 'sh', ...words],
      cwd: workdir === '/' ? workdir : path.join(world.root, workdir),
      env: { ...world.env, ...suiteVariables(program.env, 'world').set },
      signal: limit.signal,
      stdoutLimit: 0,
      lineLimit: longestLine,
      sandbox: { ...world.sandbox, policy: { ...policy, writable, places } },
      onLine: (line) => {
        lines.push(line)
        if (lines.length > keptLines) lines.shift()
        return undefined
      },
    })
    const ending = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
    return { exitCode: end.exitCode, ending, output: output() }
  } catch (error) {
    program.signal.throwIfAborted()
    if (error instanceof SpawnError || !limit.signal.aborted) throw error
    return { exitCode: null, ending: `no end within ${seconds} s`, output: output() }
  }
}
