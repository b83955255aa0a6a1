/** The plain backend, without a container: a task's absolute folders in a temp directory, shown by bubblewrap at their own paths. */
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { HarborCopy, HarborStep, HarborTask } from '../../../schemas/harbor_task.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { copyWalk, walk } from '../../base/fs/files.ts'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import type { SandboxPolicy } from '../../base/sandbox/policy.ts'
import { suiteVariables } from '../../base/secrets/suite_variables.ts'
import { listEngines } from '../../engines/table.ts'
import type { WorldRequest } from '../../phases/2-run/task_world.ts'
import { isNetworkFailure } from '../../phases/2-run/workspace/shell_step.ts'
import { assertNoSymlinkTraps, SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import { type HarborWorld, runInWorld } from './run_in_world.ts'
import { writeStandIns } from './stand_ins.ts'

/** Lays out the folders and stand-in programs; builds nothing yet. Throws SetupError without bubblewrap. */
export async function createPlainWorld({ task, temp, env, sandbox, buildNetwork }: WorldRequest): Promise<HarborWorld> {
  if (sandbox?.mechanism !== 'bubblewrap')
    throw new SetupError('a Harbor task on this machine needs bubblewrap, because it writes to absolute paths')
  const root = path.join(temp, 'world')
  const places = [...task.places, '/tmp'].map((at) => ({ from: path.join(root, at), at }))
  const tmp = path.join(root, 'tmp')
  const own = places.map(({ from }) => from)
  for (const folder of own) mkdirSync(folder, { recursive: true })
  const programs = await writeStandIns(path.join(temp, 'programs'))
  const readable = [...sandbox.policy.readable, programs.bin, programs.python]
  const home = path.join(root, 'root')
  const world: HarborWorld = {
    root,
    cwd: path.join(root, task.workdir),
    home,
    env: worldVariables(task, env, { home, tmp, programs }),
    // each folder alone: one that contains them all could be exchanged for a link out of the world
    sandbox: { ...sandbox, policy: { ...sandbox.policy, writable: own, readable, places, tmp } },
    build: (signal) => buildPlainWorld(withNetwork(world, buildNetwork), task, signal),
    async settle() {}, // each program ends with its sandbox
    async [Symbol.asyncDispose]() {}, // its folders are in the run's temp directory
  }
  return world
}

function withNetwork(world: HarborWorld, network: SandboxPolicy['network']): HarborWorld {
  return { ...world, sandbox: { ...world.sandbox, policy: { ...world.sandbox.policy, network } } }
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** The image's variables, then the run's own; programs of the machine come before those of the user's own PATH. */
function worldVariables(
  { env: image, places }: HarborTask,
  own: Readonly<Record<string, string>>,
  { home, tmp, programs }: { home: string; tmp: string; programs: { bin: string; python: string } },
): Record<string, string> {
  const isInPlace = (folder: string) => places.some((place) => folder === place || folder.startsWith(`${place}/`))
  const ofImage = (image.PATH ?? '').split(':').filter(isInPlace)
  const search = [programs.bin, ...ofImage, ...systemPath, ...(own.PATH ?? '').split(':')]
  return {
    // variables also reach programs of this machine outside of the sandbox, such as its own
    ...suiteVariables(image, 'world').set,
    ...moveHome(own, home),
    TMPDIR: tmp,
    PATH: [...new Set(search.filter(Boolean))].join(':'),
    PYTHONPATH: [image.PYTHONPATH, programs.python].filter(Boolean).join(':'),
    PYTEST_PLUGINS: 'whetstone_ctrf',
  }
}

/** Follows the Dockerfile: copies files and runs its commands, with the packages of this machine. Throws SetupError. */
async function buildPlainWorld(world: HarborWorld, task: HarborTask, signal: AbortSignal): Promise<void> {
  for (const step of task.steps) {
    if (step.kind === 'copy') await copyIntoWorld(world, task, step)
    else await runStep(world, task, step, signal)
  }
  makeFolder(world, task.workdir)
  if (realpathSync(world.cwd) !== world.cwd)
    throw new SetupError(`${task.workdir}: the Dockerfile makes it a link, which this machine cannot follow`)
  // engines write there without a sandbox
  const own = listEngines().flatMap(({ homeFolder = [] }) => homeFolder)
  const written = [...own, '.config', '.cache', '.local/share', '.local/state', 'tmp']
  const places = written.map((name) => path.join(world.home, name))
  assertNoSymlinkTraps(world.home, places)
}

/** Creates a folder of the world. Throws SetupError if a link of an earlier step leads out of its place. */
function makeFolder(world: HarborWorld, inside: string): void {
  if (inside === '/') return
  const folder = path.join(world.root, inside)
  assertInWorld(world, [folder])
  mkdirSync(folder, { recursive: true })
}

function assertInWorld({ sandbox }: HarborWorld, targets: readonly string[]): void {
  for (const target of targets) {
    const place = sandbox.policy.writable.find((one) => target === one || target.startsWith(`${one}/`))
    if (place === undefined) throw new SetupError(`${target}: outside of the world`)
    if (target !== place) assertNoSymlinkTraps(place, [target])
  }
}

/** Copies a file or folder of environment/ to its place. Throws SetupError for a link that leads out of the world. */
export async function copyIntoWorld(world: HarborWorld, task: HarborTask, step: HarborCopy): Promise<void> {
  const source = path.join(task.folder, 'environment', step.from)
  const named = path.join(world.root, step.to)
  try {
    const info = statSync(source, { throwIfNoEntry: false })
    if (info === undefined) throw new Error(`environment/${step.from} is missing`)
    // checked here too: anyone may have written the plan, and a link may be new
    if (!isInsideFolder(path.join(task.folder, 'environment'), source)) throw new Error('it leads out of environment/')
    if (info.isDirectory()) {
      const skip = (name: string) => step.from === '.' && /^(?:skills(?:\/|$)|Dockerfile$)/.test(name)
      const { files } = await walk(source, { skip })
      assertInWorld(
        world,
        files.map((file) => path.join(named, file.path)),
      )
      await copyWalk(files, named)
      return
    }
    assertInWorld(world, [named])
    // as Docker does, into a folder that is there
    const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() === true
    const target = isFolder ? path.join(named, path.basename(source)) : named
    assertInWorld(world, [target])
    await copyWalk([{ path: path.basename(target), source, bytes: info.size }], path.dirname(target))
    if (step.mode !== undefined) chmodSync(target, Number.parseInt(step.mode, 8))
  } catch (error) {
    throw new SetupError(`copy ${step.from} to ${step.to}: ${errorMessage(error)}`)
  }
}

/** Why a command of the Dockerfile may have failed. */
export const closedBuild = 'it has no network; --network setup allows it'

async function runStep(
  world: HarborWorld,
  task: HarborTask,
  step: HarborStep & { kind: 'run' },
  signal: AbortSignal,
): Promise<void> {
  makeFolder(world, step.workdir)
  const end = await runInWorld(world, {
    words: ['sh', '-c', step.command],
    workdir: step.workdir,
    env: {},
    seconds: task.build_seconds,
    signal,
  })
  if (end.exitCode === 0) return
  const said = end.output.trim().split('\n').slice(-5).join('\n')
  const { exitCode } = end
  const isClosed =
    world.sandbox.policy.network !== 'open' && isNetworkFailure({ said, exitCode, command: step.command })
  const hint = isClosed ? ` (${closedBuild})` : ''
  throw new SetupError(`Dockerfile line ${step.line}${hint}: ${end.ending}: ${said || step.command}`)
}

/** The variables with another home: those below the old one, such as XDG_CONFIG_HOME, move along. Pure. */
export function moveHome(own: Readonly<Record<string, string>>, home: string): Record<string, string> {
  const moved = Object.entries(own).map(([name, value]) => [name, own.HOME ? value.replace(own.HOME, home) : value])
  return { ...Object.fromEntries(moved), HOME: home }
}
