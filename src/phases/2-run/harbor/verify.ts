/** Runs the verifier of a Harbor task after the agent ended, and the task's own solution for a check of the task. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { HarborTask } from '../../../../schemas/harbor_task.ts'
import { copyWalk, walk } from '../../../base/fs/files.ts'
import { isSubpath } from '../../../base/sandbox/paths_below.ts'
import { copyIntoWorld } from './plain_world.ts'
import { runInWorld, type WorldEnd } from './run_in_world.ts'
import type { HarborWorld } from './world.ts'

export interface VerifyRequest {
  task: HarborTask
  /** Folder to fill with what the verifier wrote to /logs/verifier, and its output.txt. */
  folder: string
  /** The skills folder in the working folder, which no verifier should see; null: none. */
  skillsFolder: string | null
  signal: AbortSignal
}

/** Files of /logs/verifier to keep, in bytes. */
const longestLog = 5 * 1024 * 1024

/** Only now do tests appear in the world, and nothing that the agent left at their places remains. */
export async function verifyWorld(world: HarborWorld, request: VerifyRequest): Promise<WorldEnd> {
  const { task, folder, skillsFolder, signal } = request
  const [top = ''] = (skillsFolder ?? '').split('/')
  const logs = path.join(world.root, 'logs')
  emptyFolder(logs)
  mkdirSync(path.join(logs, 'verifier'), { recursive: true })
  await showFolder(world, path.join(task.folder, 'tests'), '/tests')
  const end = await runInWorld(world, {
    words: startScript('/tests/test.sh', top),
    workdir: task.workdir,
    env: task.verifier.env,
    seconds: task.verifier.seconds,
    shows: ['/tests', '/logs/verifier'],
    signal,
  })
  await world.settle(signal)
  mkdirSync(folder, { recursive: true })
  const { files } = await walk(path.join(logs, 'verifier'), { links: 'never', unreadable: 'leave_out' })
  await copyWalk(
    files.filter(({ bytes }) => bytes <= longestLog),
    folder,
  )
  writeFileSync(path.join(folder, 'output.txt'), `${end.output}\n(${end.ending})\n`)
  return end
}

/** Runs solution/solve.sh with the skills where the image has them, as Harbor's oracle does, within the agent's time limit. */
export async function solveWorld(
  world: HarborWorld,
  task: HarborTask,
  how: { seconds: number; signal: AbortSignal },
): Promise<WorldEnd> {
  // a container has further folders, which this process can't reach
  const isShown = (to: string) => (world.sandbox.policy.places ?? []).some(({ at }) => isSubpath(to, at))
  for (const copy of task.skill_copies) if (isShown(copy.to)) await copyIntoWorld(world, task, copy)
  await showFolder(world, path.join(task.folder, 'solution'), '/solution')
  return await runInWorld(world, {
    words: startScript('/solution/solve.sh'),
    workdir: task.workdir,
    env: task.solution?.env ?? {},
    shows: ['/solution'],
    ...how,
  })
}

/**
 * Starts a script of the task, with the file that installers of uv leave, which scripts read. Within the world, because
 * the agent may have left links.
 */
function startScript(script: string, unwanted = ''): ['sh', ...string[]] {
  const remove = unwanted === '' ? [] : [`rm -rf './${unwanted}'`]
  const steps = [...remove, 'mkdir -p ~/.local/bin', ': >> ~/.local/bin/env', `exec bash ${script}`]
  return ['sh', '-c', steps.join('\n')]
}

/** Copies a folder of the task into the world, without what the agent may have left at its place. */
async function showFolder(world: HarborWorld, from: string, at: string): Promise<void> {
  const target = path.join(world.root, at)
  emptyFolder(target)
  await copyWalk((await walk(from)).files, target)
}

/** Removes what is in a folder that the agent could write to; the folder itself stays, because it is mounted. */
function emptyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true })
}
