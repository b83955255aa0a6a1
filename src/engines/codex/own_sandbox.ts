/** Decides how Codex's tools are confined: by Codex itself if its sandbox works, which is tried once per program. */
import path from 'node:path'
import { runProcess, SpawnError } from '../../base/process/spawn.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { EngineTask } from '../engine.ts'
import { type Confinement, codexEnvironment, codexHome } from './argv.ts'

const sandboxTrialMs = 10_000
const sandboxTrials = new Map<string, Promise<boolean>>()

/** How this task's tools are confined. Inside Whetstone's sandbox, Codex's own would be nested, which mostly fails and adds nothing. */
export async function chooseConfinement(task: EngineTask, program: string): Promise<Confinement> {
  if (task.sandbox !== null) return { by: 'none' }
  if (task.tools !== 'all') return { by: 'judge', readable: await findProgramFolders(program, task) }
  return (await ownSandboxWorks(program, task)) ? { by: 'own' } : { by: 'none' }
}

/** Whether a command can start in Codex's own sandbox on this machine (containers often forbid it). */
function ownSandboxWorks(program: string, task: EngineTask): Promise<boolean> {
  const known = sandboxTrials.get(program) ?? tryIt(program, task)
  sandboxTrials.set(program, known)
  return known
}

async function tryIt(program: string, task: EngineTask): Promise<boolean> {
  using limit = startTimeLimit(sandboxTrialMs)
  try {
    const end = await runProcess({
      command: program,
      args: ['sandbox', 'true'],
      cwd: task.cwd,
      env: codexEnvironment({ ...task, credentials: {} }),
      signal: limit.signal,
      stdoutLimit: 0,
    })
    return end.exitCode === 0
  } catch (error) {
    if (error instanceof SpawnError || (error instanceof Error && error.name === 'TimeoutError')) return false
    throw error
  }
}

/** Folders of Codex itself that a sandbox must let it read: the folder of its helpers, and where it is installed. */
export async function findProgramFolders(program: string, task: EngineTask): Promise<string[]> {
  return [path.join(codexHome(task), 'tmp'), ...(await findCommandParts([program]))]
}
