/** Lays out the temp directory of a run: working folder, home, environment and sandbox, or the task's own world. */
import { closeSync, existsSync, mkdirSync, readSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { ProgramCall } from '../../../../schemas/program.ts'
import { attempt } from '../../../base/errors/attempt.ts'
import { isInsideFolder } from '../../../base/fs/inside_folder.ts'
import { openRegularFile } from '../../../base/fs/special_files.ts'
import type { TempDir } from '../../../base/fs/temp_dir.ts'
import { type Sandbox, showPlace } from '../../../base/sandbox/policy.ts'
import type { Redactor } from '../../../base/secrets/redact.ts'
import { describeShadowingProgram } from '../../../engines/command_line.ts'
import { selectCredentials } from '../../../engines/models/base_url.ts'
import type { RunRequest } from '../run_request.ts'
import { type TaskWorld, taskWorlds } from '../task_world.ts'
import { buildCaseEnvironment } from './case_environment.ts'
import { installPrograms } from './install_programs.ts'
import { buildRunEnvironment } from './run_environment.ts'
import { confine, worldPolicies } from './sandbox_policy.ts'
import { SetupError } from './symlink_traps.ts'

type PlaceRequest = Pick<RunRequest, 'spec' | 'engine' | 'userEnv' | 'passEnv' | 'hidden' | 'sandbox'>

export interface RunPlace extends AsyncDisposable {
  /** The temp directory, absolute. */
  temp: string
  /** The working folder, absolute. */
  cwd: string
  home: string
  /** Of setup, the agent and teardown. */
  env: Record<string, string>
  /** Of Whetstone's own steps: without variables and programs of the suite. */
  ownEnv: Record<string, string>
  /** Variables that the suite may not set. */
  refused: string[]
  /** Of the agent and teardown. */
  sandbox: Sandbox | null
  setupSandbox: Sandbox | null
  /** Calls of the suite's programs; null: it has none. */
  calls: ProgramCalls | null
  /** null: the case brings none. */
  world: TaskWorld | null
}

/** Creates the home, and the only folders that the agent may write to if the suite restricts them. */
export async function openRunPlace(request: PlaceRequest, tempDir: Pick<TempDir, 'path' | 'mark'>): Promise<RunPlace> {
  const { spec, userEnv: user, passEnv, hidden } = request
  const { environment } = spec
  const temp = tempDir.path
  const home = path.join(temp, 'home')
  const tmp = path.join(home, 'tmp') // all parts of a run share one /tmp, and what the agent leaves there can be collected
  mkdirSync(tmp, { recursive: true })
  const own = buildRunEnvironment({ user, home, mark: tempDir.mark, passEnv, hidden })
  const made = buildCaseEnvironment(own, environment, { folder: programsFolder(temp), trust: request.sandbox })
  if (spec.harbor !== undefined) return await openTaskPlace(request, temp, own)
  const cwd = path.join(temp, 'work')
  const only = makeWritableFolders(cwd, spec)
  const calls = environment?.programs ? callsLog(temp) : null
  if (calls !== null) mkdirSync(path.dirname(calls), { recursive: true })
  const parts = {
    writable: [...(only ?? [cwd]), home, ...(calls === null ? [] : [path.dirname(calls)])],
    readable: [environmentFolder(temp), programsFolder(temp), ...(only === null ? [] : [cwd])],
    ...{ hidden, settings: spec.sandbox, tmp, places: listStablePlaces({ temp, home, tmp, cwd }) },
  }
  return {
    ...{ temp, cwd, home, env: made.env, ownEnv: own, refused: made.refused },
    sandbox: confine(request.sandbox, parts),
    setupSandbox: confine(request.sandbox, { ...parts, phase: 'setup' }),
    calls: calls === null ? null : new ProgramCalls(calls),
    world: null,
    async [Symbol.asyncDispose]() {}, // all of it is in the temp directory
  }
}

/** A folder of this machine keeps its path, because programs may be in it. */
const insideHome = existsSync('/home/user') ? '/home/dev' : '/home/user'

/** A path without these could be written in another way in a settings file. */
const isPlainPath = /^[\w./@+-]+$/

/**
 * What an agent sees in place of the temp directory, whose name differs from run to run: the same paths in every run and both
 * configurations, so that the prompts are equal and a provider's cache serves them.
 */
function listStablePlaces({ temp, home, tmp, cwd }: { temp: string; home: string; tmp: string; cwd: string }) {
  if (!isPlainPath.test(temp)) return []
  return [
    { from: tmp, at: '/tmp' },
    { from: cwd, at: path.join(insideHome, 'project') },
    { from: home, at: insideHome },
    { from: temp, at: '/run/user' },
  ]
}

/** Throws SetupError when the task can't have its world here. */
async function openTaskPlace(
  { spec, engine, sandbox, userEnv, hidden }: PlaceRequest,
  temp: string,
  env: Record<string, string>,
): Promise<RunPlace> {
  if (spec.harbor === undefined) throw new Error('the run is not of a task')
  const parts = { writable: [], readable: [environmentFolder(temp)], hidden, settings: spec.sandbox }
  const credentials = selectCredentials(engine, spec.engine, userEnv)
  const programs = (await engine.findPrograms?.({ command: spec.engine.command ?? null, env, credentials })) ?? null
  if (taskWorlds.harbor === undefined) throw new SetupError('Harbor tasks are not a part of this program')
  const world = await taskWorlds.harbor({
    ...{ task: spec.harbor, temp, env, userEnv, programs },
    ...worldPolicies(sandbox, parts),
  })
  return {
    ...{ temp, cwd: world.cwd, home: world.home, env: world.env, ownEnv: world.env, refused: [] },
    ...{ sandbox: world.sandbox, setupSandbox: world.sandbox, calls: null, world },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Throws SetupError if they have changed, or if one would start in place of the agent. */
export async function installRunPrograms(
  { spec }: Pick<PlaceRequest, 'spec'>,
  { temp, sandbox }: RunPlace,
): Promise<void> {
  const programs = spec.environment?.programs
  if (programs === undefined) return
  const found = describeShadowingProgram(spec.engine, programs)
  if (found !== null) throw new SetupError(`${found.message}: ${found.fix}`)
  const show = (place: string) => showPlace(place, sandbox?.policy.places)
  await installPrograms(programs, { folder: programsFolder(temp), log: show(callsLog(temp)), show })
}

/** Creates the only folders that the run may write to, inside the working folder; null: all of it is writable. */
function makeWritableFolders(cwd: string, { sandbox }: RunSpec): string[] | null {
  const folders = sandbox?.only_writable?.map((name) => path.join(cwd, name)) ?? null
  for (const folder of folders ?? []) mkdirSync(folder, { recursive: true })
  return folders
}

/** Scripts of hooks and servers, in the temp directory and outside of the working folder. */
export function environmentFolder(temp: string): string {
  return path.join(temp, 'environment')
}

function programsFolder(temp: string): string {
  return path.join(temp, 'programs')
}

function callsLog(temp: string): string {
  return path.join(temp, 'calls', 'log')
}

/** Bytes of the log of one phase that are read: an agent can write to it. */
const mostBytes = 4 * 2 ** 20

class ProgramCalls {
  readonly #calls: ProgramCall[] = []
  readonly #log: string

  constructor(log: string) {
    this.#log = log
  }

  /** Takes the calls since the last time; they belong to this phase. */
  take(phase: ProgramCall['phase']): void {
    const log = attempt(() => readLog(this.#log), '') // it fails if there was no call, or the agent replaced the file
    this.#calls.push(...parseProgramLog(log).map((call) => ({ phase, ...call })))
    rmSync(this.#log, { force: true, recursive: true })
  }

  write(runFolder: string, redactor: Redactor): void {
    const lines = this.#calls.map((call) => `${JSON.stringify(redactor.value(call))}\n`)
    writeFileSync(path.join(runFolder, 'programs.jsonl'), lines.join(''))
  }
}

function readLog(log: string): string {
  const descriptor = isInsideFolder(path.dirname(path.dirname(log)), log) ? openRegularFile(log) : null
  if (descriptor === null) return ''
  try {
    const bytes = Buffer.alloc(mostBytes)
    return bytes.subarray(0, readSync(descriptor, bytes)).toString('utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Name, number of arguments and arguments of each call, each ended by a zero byte; what does not fit ends the reading. Pure. */
function parseProgramLog(text: string): Omit<ProgramCall, 'phase'>[] {
  const words = text.split('\0').slice(0, -1)
  const calls: Omit<ProgramCall, 'phase'>[] = []
  for (let at = 0; at < words.length; ) {
    const [program = '', count = ''] = words.slice(at, at + 2)
    const end = at + 2 + Number(count)
    if (!/^\d+$/.test(count) || end > words.length) break
    calls.push({ program, args: words.slice(at + 2, end) })
    at = end
  }
  return calls
}
