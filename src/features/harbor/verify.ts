/** Opens the world of a Harbor task, runs its verifier after the agent ended, and its own solution for a check of the task. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { HarborBackend, HarborTask } from '../../../schemas/harbor_task.ts'
import { copyWalk, walk } from '../../base/fs/files.ts'
import { isSubpath } from '../../base/fs/inside_folder.ts'
import { removeTree } from '../../base/fs/temp_dir.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import { listAgentPlaces } from '../../engines/table.ts'
import type { TaskWorld, VerifyRequest, WorldRequest } from '../../phases/2-run/task_world.ts'
import { createContainerWorld } from './container_world.ts'
import { copyIntoWorld, createPlainWorld } from './plain_world.ts'
import { type HarborWorld, runInWorld, type WorldEnd } from './run_in_world.ts'

const backends: Readonly<Record<HarborBackend, (request: WorldRequest) => Promise<HarborWorld>>> = {
  plain: createPlainWorld,
  docker: (request) => createContainerWorld(request, 'docker'),
  podman: (request) => createContainerWorld(request, 'podman'),
}

/** Opens the world with the backend that the plan names. Throws SetupError when the backend does not work here. */
export async function openTaskWorld(request: WorldRequest): Promise<TaskWorld> {
  const world = await openWorld(request)
  return { ...world, verify: (how) => verifyWorld(world, request.task, how) }
}

/** Lays out the folders; builds nothing yet. */
export async function openWorld(request: WorldRequest): Promise<HarborWorld> {
  return await backends[request.task.backend ?? 'plain'](request)
}

/** What to keep of /logs/verifier, where code of the agent may write too while the verifier runs. */
const logLimits = { fileBytes: 5 * 1024 * 1024, files: 100 }

const outputName = 'output.txt'
const verdictNames = ['reward.json', 'reward.txt', 'ctrf.json']

/** Only now do tests appear in the world, and nothing that the agent left at their places remains. */
export async function verifyWorld(
  world: HarborWorld,
  task: HarborTask,
  { folder, skillsFolders, signal }: VerifyRequest,
): Promise<WorldEnd> {
  const logs = path.join(world.root, 'logs')
  await emptyFolder(logs)
  mkdirSync(path.join(logs, 'verifier'), { recursive: true })
  await showFolder(world, path.join(task.folder, 'tests'), '/tests')
  const end = await runInWorld(world, {
    words: startScript(task, '/tests/test.sh', listAgentPlaces(skillsFolders)),
    workdir: '/',
    env: { ...task.verifier.env, PYTHONNOUSERSITE: '1' }, // or Python loads what the agent left in ~/.local/lib
    seconds: task.verifier.seconds,
    shows: ['/tests', '/logs/verifier'],
    signal,
  })
  await world.settle(signal)
  await keepLogs(path.join(logs, 'verifier'), folder)
  writeFileSync(path.join(folder, outputName), `${end.output}\n(${end.ending})\n`)
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
    words: startScript(task, '/solution/solve.sh'),
    workdir: '/',
    env: task.solution?.env ?? {},
    shows: ['/solution'],
    ...how,
  })
}

/**
 * Starts a script of the task, with the file that installers of uv leave, which scripts read. Within the world, because
 * the agent may have left links. It starts even if the agent removed the working folder.
 */
function startScript({ workdir }: HarborTask, script: string, unwanted: readonly string[] = []): ['sh', ...string[]] {
  const remove = unwanted.map((place) => `rm -rf './${place}'; rmdir './${path.posix.dirname(place)}' 2>/dev/null || :`)
  // the installer of uv writes it again too, and what the agent left there would run in the verifier's shell
  const installed = ['rm -rf ~/.local/bin/env', 'mkdir -p ~/.local/bin', ': > ~/.local/bin/env']
  const steps = ['cd "$1"', ...remove, ...installed, `exec bash ${script}`]
  return ['sh', '-c', steps.join('\n'), 'sh', workdir]
}

/** Copies a folder of the task into the world, without what the agent may have left at its place. */
async function showFolder(world: HarborWorld, from: string, at: string): Promise<void> {
  const target = path.join(world.root, at)
  await emptyFolder(target)
  await copyWalk((await walk(from)).files, target)
}

/** Removes what is in a folder that the agent could write to; the folder itself stays, because it is mounted. */
async function emptyFolder(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700) // the agent may have closed it
  for (const name of readdirSync(folder)) await removeTree(path.join(folder, name))
}

/** Copies the plain files, those of the verdict first; what can't be copied is left out. */
async function keepLogs(from: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { files } = await walk(from, { links: 'never', unreadable: 'leave_out' })
  const isOwnOutput = (name: string) => name.split('/')[0] === outputName
  const small = files.filter(({ path: name, bytes }) => bytes <= logLimits.fileBytes && !isOwnOutput(name))
  const verdict = small.filter((file) => verdictNames.includes(file.path))
  const others = small.filter((file) => !verdict.includes(file))
  for (const file of [...verdict, ...others].slice(0, logLimits.files)) {
    await copyWalk([file], folder).catch((error: unknown) => {
      if (isShortage(error)) throw error
    })
  }
}
