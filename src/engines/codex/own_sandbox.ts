/** How Codex's tools are confined: by Codex itself where its sandbox works, which is tried once per program. */
import path from 'node:path'
import { partsOfCommand } from '../../base/sandbox/programs.ts'
import { runProcess, SpawnError } from '../../base/spawn.ts'
import { timeLimit } from '../../base/time_limit.ts'
import type { EngineTask } from '../engine.ts'
import { type Confinement, codexEnvironment, codexHome } from './argv.ts'

const patienceMs = 10_000
const tried = new Map<string, Promise<boolean>>()

/** How this task's tools are confined. Inside our sandbox Codex's own would nest, which mostly fails, and add nothing. */
export async function confinementOf(task: EngineTask, program: string): Promise<Confinement> {
  if (task.sandbox !== null) return { by: 'none' }
  if (task.tools !== 'all') return { by: 'judge', readable: await programFolders(program, task) }
  return (await ownSandboxWorks(program, task)) ? { by: 'own' } : { by: 'none' }
}

/** Whether a command can be started in Codex's own sandbox here (containers often forbid it). */
function ownSandboxWorks(program: string, task: EngineTask): Promise<boolean> {
  const known = tried.get(program) ?? tryIt(program, task)
  tried.set(program, known)
  return known
}

async function tryIt(program: string, task: EngineTask): Promise<boolean> {
  using limit = timeLimit(patienceMs)
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

/** What a sandbox needs of Codex itself: the folder of its helpers, and where it is installed. */
export async function programFolders(program: string, task: EngineTask): Promise<string[]> {
  return [path.join(codexHome(task), 'tmp'), ...(await partsOfCommand([program]))]
}
