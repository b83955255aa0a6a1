/** Lays out the temp directory of a run: working folder, home, environment and sandbox of setup, agent and teardown. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { TempDir } from '../../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import { splitCommandLine } from '../../../engines/command/command_line.ts'
import { ProgramCalls } from '../collect/program_calls.ts'
import { buildCaseEnvironment } from './case_environment.ts'
import { installPrograms } from './install_programs.ts'
import { buildRunEnvironment } from './run_environment.ts'
import { confine } from './sandbox_policy.ts'
import { SetupError } from './symlink_traps.ts'

interface PlaceRequest {
  spec: RunSpec
  userEnv: Readonly<Record<string, string | undefined>>
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
}

export interface RunPlace {
  /** The working folder, absolute. */
  cwd: string
  home: string
  /** Of setup, the agent and teardown. */
  env: Record<string, string>
  /** Of Whetstone's own steps: without the programs of the suite on PATH. */
  ownEnv: Record<string, string>
  /** Variables that the suite may not set. */
  refused: string[]
  /** Of the agent and teardown. */
  sandbox: Sandbox | null
  setupSandbox: Sandbox | null
  /** Calls of the suite's programs; null: it has none. */
  calls: ProgramCalls | null
}

/** Creates the home, and the only folders that the agent may write to if the suite restricts them. */
export function openRunPlace(request: PlaceRequest, tempDir: Pick<TempDir, 'path' | 'mark'>): RunPlace {
  const { spec, userEnv: user, passEnv, hidden } = request
  const { environment } = spec
  const home = path.join(tempDir.path, 'home')
  const tmp = path.join(home, 'tmp') // all parts of a run share one /tmp, and what the agent leaves there can be collected
  mkdirSync(tmp, { recursive: true })
  const cwd = path.join(tempDir.path, 'work')
  const own = buildRunEnvironment({ user, home, mark: tempDir.mark, passEnv, hidden })
  const env = buildCaseEnvironment(own, environment, programsFolder(cwd))
  const only = makeWritableFolders(cwd, spec)
  const calls = environment?.programs ? callsLog(cwd) : null
  if (calls !== null) mkdirSync(path.dirname(calls), { recursive: true })
  const parts = {
    writable: [...(only ?? [cwd]), home, ...(calls === null ? [] : [path.dirname(calls)])],
    readable: [environmentFolder(cwd), programsFolder(cwd), ...(only === null ? [] : [cwd])],
    ...{ hidden, settings: spec.sandbox, tmp },
  }
  return {
    ...{ cwd, home, env: env.full, ownEnv: env.own, refused: env.refused },
    sandbox: confine(request.sandbox, parts),
    setupSandbox: confine(request.sandbox, { ...parts, phase: 'setup' }),
    calls: calls === null ? null : new ProgramCalls(calls),
  }
}

/** Throws SetupError if they have changed, or if one would start in place of the agent. */
export async function installRunPrograms({ spec }: Pick<PlaceRequest, 'spec'>, { cwd }: RunPlace): Promise<void> {
  const programs = spec.environment?.programs
  if (programs === undefined) return
  const agent = spec.engine.command === undefined ? null : splitCommandLine(spec.engine.command)
  const [first] = agent !== null && 'words' in agent ? agent.words : []
  if (first !== undefined && [...programs.executables, ...Object.keys(programs.answers)].includes(first))
    throw new SetupError(`evals/bin/${first} would start in place of the agent's program: name that by its path`)
  await installPrograms(programs, { folder: programsFolder(cwd), log: callsLog(cwd) })
}

/** Creates the only folders that the run may write to, inside the working folder; null: all of it is writable. */
function makeWritableFolders(cwd: string, { sandbox }: RunSpec): string[] | null {
  const folders = sandbox?.only_writable?.map((name) => path.join(cwd, name)) ?? null
  for (const folder of folders ?? []) mkdirSync(folder, { recursive: true })
  return folders
}

/** Next to the working folder. */
export function environmentFolder(cwd: string): string {
  return path.join(path.dirname(cwd), 'environment')
}

function programsFolder(cwd: string): string {
  return path.join(path.dirname(cwd), 'programs')
}

function callsLog(cwd: string): string {
  return path.join(path.dirname(cwd), 'calls', 'log')
}
