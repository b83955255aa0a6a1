/** Runs a program of the suite in the copy of the working folder, within its time and the sandbox, with files that only the grading sees. */
import { readFileSync } from 'node:fs'
import { copyFile, cp, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CheckFile } from '../../../../../schemas/checks/verifier.ts'
import type { OutputFile } from '../../../../../schemas/run.ts'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { copyWalk, hashFile, hashWalk, pathExists, walk } from '../../../../base/fs/files.ts'
import { isChildPath } from '../../../../base/fs/inside_folder.ts'
import { runMark } from '../../../../base/process/process_marks.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../../../../base/process/spawn.ts'
import { withReadable } from '../../../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../../../base/time/time_limit.ts'
import type { CheckContext } from '../inputs/check_input.ts'
import { type CheckFolders, useWorkingFolder } from '../inputs/working_folder.ts'

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

/**
 * In the copy, replaces whatever the agent left at these places. `error`: a file is missing or not the one that was planned.
 */
export async function putGradingFiles(
  files: readonly CheckFile[],
  { gradingFiles = [], record }: Pick<CheckContext, 'gradingFiles' | 'record'>,
  { cwd, own }: Pick<CheckFolders, 'cwd' | 'own'>,
): Promise<{ error: string } | null> {
  if (files.some((file) => isInEvals(toPlacedFile(file).to))) await clearNeighbours(record.outputs.files, cwd)
  for (const file of files) {
    const { from, to } = toPlacedFile(file)
    const planned = gradingFiles.find((one) => one.path === from)
    if (planned === undefined) return { error: `${from}: the plan does not contain this file of the check` }
    try {
      for (const folder of [own, cwd]) {
        await clearPlace(folder, to)
        const sha256 = await copyGradingFile(planned, path.join(folder, to))
        if (sha256 !== planned.sha256) return { error: `${from} has changed since the suite was read` }
      }
    } catch (error) {
      return { error: `${from} can't be copied into the working folder: ${errorMessage(error)}` }
    }
  }
  await clearTestSettings(record.outputs.files, { cwd, own })
  return null
}

/** A module that the agent left next to a verifier would be loaded in place of the verifier's own. */
async function clearNeighbours(outputs: readonly OutputFile[], cwd: string): Promise<void> {
  for (const { path: name, change } of outputs) if (change === 'created' && isInEvals(name)) await clearPlace(cwd, name)
}

const pytestFile = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/
const pytestSettings = /(?:^|\/)(?:conftest\.py|\.?pytest\.(?:ini|toml))$/
const sharedSettings = /(?:^|\/)(?:pyproject\.toml|tox\.ini|setup\.cfg)$/
const entryPoints = /\.(?:dist|egg)-info\/entry_points\.txt$/i

/**
 * pytest loads these from every folder above a test, and they can change its result. Those of the suite stay. The agent's settings in
 * files that have other uses too stay, but an empty pytest.ini next to them comes first.
 */
async function clearTestSettings(
  outputs: readonly OutputFile[],
  { cwd, own }: Pick<CheckFolders, 'cwd' | 'own'>,
): Promise<void> {
  const created = outputs.filter(({ change }) => change === 'created').map((file) => file.path)
  const left = created.filter((name) => [pytestSettings, sharedSettings, entryPoints].some((one) => one.test(name)))
  const given = left.length === 0 ? [] : (await walk(own)).files.map((file) => file.path)
  const tests = given.filter((name) => pytestFile.test(name))
  if (tests.length === 0) return
  const ours = left.filter((name) => !given.includes(name))
  for (const name of ours.filter((one) => !sharedSettings.test(one))) {
    const folder = path.posix.dirname(name)
    const isAbove = folder === '.' || tests.some((one) => one.startsWith(`${folder}/`))
    if (isAbove || entryPoints.test(name)) await clearPlace(cwd, name)
  }
  for (const name of ours.filter((one) => sharedSettings.test(one))) {
    const file = path.join(cwd, name)
    const text = await readFile(file, 'latin1').catch(() => '') // a folder of the suite may have replaced it
    if (!/pytest|\\[uUx]/.test(text)) continue // TOML can write a name with escapes
    await writeFile(path.join(path.dirname(file), 'pytest.ini'), '', { flag: 'wx' }).catch(() => undefined)
  }
}

function isInEvals(name: string): boolean {
  return name.split('/')[0] === 'evals'
}

/** A name alone is also its place. */
export function toPlacedFile(file: CheckFile): { from: string; to: string } {
  return typeof file === 'string' ? { from: file, to: file } : file
}

/** Removes what is at the place, and links or files where its folders must be: they could lead out. */
export async function clearPlace(cwd: string, place: string): Promise<void> {
  if (!isChildPath(cwd, place)) throw new Error(`${place} is outside the working folder`)
  const parts = place.split('/')
  for (const [index] of parts.entries()) {
    const at = path.join(cwd, ...parts.slice(0, index + 1))
    const found = await lstat(at).catch(() => null)
    if (found === null) break
    if (index < parts.length - 1 && found.isDirectory()) continue
    await rm(at, { recursive: true, force: true })
    break
  }
  await mkdir(path.dirname(path.join(cwd, place)), { recursive: true })
}

/** Returns the hash of the copied content. */
async function copyGradingFile({ kind, source }: InputFile, target: string): Promise<string> {
  if (kind === 'file') {
    await copyFile(source, target)
    return await hashFile(target)
  }
  await copyWalk((await walk(source)).files, target)
  return await hashWalk((await walk(target)).files)
}
