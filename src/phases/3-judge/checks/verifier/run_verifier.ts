/** Runs a program of the suite in the copy of the working folder, within its time and the sandbox. */
import { readFileSync } from 'node:fs'
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CheckFile } from '../../../../../schemas/checks/verifier.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { runMark } from '../../../../base/process/process_marks.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../../../base/process/spawn.ts'
import { withReadable } from '../../../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../../../base/time/time_limit.ts'
import type { CheckContext } from '../inputs/check_input.ts'
import { type CheckFolders, useWorkingFolder } from '../inputs/working_folder.ts'
import { clearPlace, putGradingFiles } from './grading_files.ts'

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

/** Does `run` with the files of the suite in the folder as the agent found it; null: that can't be done. */
export async function runBeforeAgent<T>(
  files: readonly CheckFile[],
  context: CheckContext,
  run: (place: CheckFolders) => Promise<T>,
): Promise<T | null> {
  const restore = (target: string) => context.restore(target, 'start')
  const ran = await useWorkingFolder({ ...context, restore }, async (place) => {
    const problem = await putGradingFiles(files, context, place)
    return problem ?? { done: await run(place) }
  })
  return 'done' in ran ? ran.done : null
}

const pathOrder = readFileSync(new URL('./sitecustomize.py', import.meta.url), 'utf8')

interface CheckEnvironment {
  env: Record<string, string>
  /** Folders outside of the working folder, absolute. */
  writable: string[]
  readable: string[]
}

/** Creates the check's home, a copy of the run's, and what python3 loads at its start. */
async function openCheckEnvironment(
  env: Readonly<Record<string, string>>,
  place: CheckFolders,
): Promise<CheckEnvironment> {
  const parent = path.dirname(place.own)
  const [home, python] = [path.join(parent, 'home'), path.join(parent, 'python')]
  await mkdir(home)
  await mkdir(python)
  await writeFile(path.join(python, 'sitecustomize.py'), pathOrder)
  const { HOME: runHome, PATH: programs = '', PYTHONPATH: modules } = env
  if (runHome !== undefined && (await pathExists(runHome))) await cp(runHome, home, { recursive: true, ...plainCopy })
  await keepPathOrder(home, path.join(python, 'sitecustomize.py'))
  return {
    env: {
      ...(runHome === undefined ? env : moveHome(env, runHome, home)),
      [runMark]: place.mark,
      PATH: programs.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter),
      PYTHONPATH: modules === undefined ? python : `${python}${path.delimiter}${modules}`,
      PYENV_DIR: place.own, // pyenv would look for .python-version in the working folder
      WHETSTONE_RUN_FOLDER: place.cwd,
      WHETSTONE_CHECK_FOLDER: place.own,
    },
    writable: [home],
    readable: [place.own, python, ...(runHome === undefined ? [] : [runHome])],
  }
}

/** Loads the file in each python3 also where a command sets PYTHONPATH: python3 reads the user's own packages before any other. */
async function keepPathOrder(home: string, file: string): Promise<void> {
  const line = `import sys; exec(open(${JSON.stringify(file)}, encoding="utf-8").read(), {"__name__": "order"})\n`
  for (let minor = 6; minor <= 20; minor++) {
    const place = `.local/lib/python3.${minor}/site-packages/whetstone.pth`
    await clearPlace(home, place)
    await writeFile(path.join(home, place), line)
  }
}

const plainCopy = {
  verbatimSymlinks: true,
  filter: async (source: string) => {
    const found = await lstat(source)
    return found.isFile() || found.isDirectory() || found.isSymbolicLink()
  },
}

/** PATH keeps the run's home: the suite's programs there are read-only for the check. */
function moveHome(env: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  const moved = (value: string) =>
    value === from || value.startsWith(from + path.sep) ? to + value.slice(from.length) : value
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, moved(value)]))
}
