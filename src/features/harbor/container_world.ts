/** The backend with a container: the task's folders are filled from its image and mounted at their own paths. */
import { chmodSync, cpSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { HarborTask } from '../../../schemas/harbor_task.ts'
import { type ContainerEngine, noteContainer, openFilesWords, removeWords } from '../../base/container.ts'
import { listEntries } from '../../base/fs/files.ts'
import { isSubpath } from '../../base/fs/inside_folder.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { hasProxyLogin } from '../../base/http/proxy_forwarder.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { findCovers, findExistingPlaces, findHiddenPlaces } from '../../base/sandbox/hidden_places.ts'
import type { SandboxPlace, SandboxPolicy } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { isSystemPath } from '../../base/sandbox/system.ts'
import { suiteVariables } from '../../base/secrets/suite_variables.ts'
import { listEngines } from '../../engines/table.ts'
import type { WorldRequest } from '../../phases/2-run/task_world.ts'
import { SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import {
  type ContainerClient,
  type ContainerMount,
  findContainerClient,
  ownWords,
  runClient,
  startWords,
} from './client.ts'
import { closedBuild, moveHome } from './plain_world.ts'
import type { HarborWorld } from './run_in_world.ts'

/** The engine gets this long for a command that builds nothing. */
const seconds = 120

/** Lays out the folders; starts nothing yet. Throws SetupError where the client is missing. */
export async function createContainerWorld(request: WorldRequest, engine: ContainerEngine): Promise<HarborWorld> {
  const { task, temp, env, policy } = request
  const client = await findContainerClient(engine, request.userEnv)
  if (client === null) throw new SetupError(`no ${engine} on PATH`)
  const root = path.join(temp, 'world')
  const places = listPlaces(task).map((at) => ({ from: path.join(root, at), at }))
  const own = places.map(({ from }) => from)
  for (const folder of own) mkdirSync(folder, { recursive: true })
  const box: Box = { client, name: `whetstone-${env[runMark]}`, root, places, owner: null }
  const home = path.join(root, 'root')
  return {
    root,
    cwd: path.join(root, task.workdir),
    home,
    env: worldVariables(request, home, path.join(root, 'tmp')),
    sandbox: {
      mechanism: 'container',
      program: client.program,
      container: { name: box.name, clientEnv: client.env },
      policy: { ...policy, writable: own, places },
    },
    build: (signal) => buildContainerWorld(box, request, signal),
    settle: (signal) => settleContainer(box, signal),
    [Symbol.asyncDispose]: () => removeContainer(box),
  }
}

interface Box {
  client: ContainerClient
  name: string
  root: string
  places: readonly SandboxPlace[]
  /** Who owns the folders, as the container sees it: "uid:gid"; null: it does not run. */
  owner: string | null
}

/** The task's places, its working folder and /tmp. The image has its own settings in /etc. */
function listPlaces({ places: all, workdir }: HarborTask): string[] {
  const places = all.filter((place) => !place.startsWith('/etc/'))
  const isIn = [...places, '/tmp'].some((place) => workdir === place || workdir.startsWith(`${place}/`))
  return [...places, '/tmp', ...(isIn ? [] : [workdir])]
}

/** They name what is on this machine; the image has its own. */
const ofMachine = /^(LANG|LANGUAGE|LC_\w+|SHELL|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|USERPROFILE|SYSTEMROOT)$/

/** The image sets its own variables; PATH is for finding the agent's program, and comes after the image's. */
function worldVariables({ task, env }: WorldRequest, home: string, tmp: string): Record<string, string> {
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !ofMachine.test(name)))
  // files that come from this machine belong to its user, and git refuses repositories of others
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
  const moved = moveHome(passed, home)
  return {
    ...git,
    ...suiteVariables(task.set_env, 'world').set,
    ...moved,
    TMPDIR: tmp,
    PATH: `${env.PATH ?? ''}:${ownPrograms}`,
  }
}

async function buildContainerWorld(box: Box, request: WorldRequest, signal: AbortSignal): Promise<void> {
  const { client, root } = box
  const { task } = request
  const image = await provideImage(client, task, { network: request.buildNetwork, signal })
  await fillPlaces(box, image, signal)
  removeTaskSkills(root, task)
  const cwd = path.join(root, task.workdir)
  mkdirSync(cwd, { recursive: true })
  if (realpathSync(cwd) !== cwd) throw new SetupError(`${task.workdir}: it is a link in the image`)
  for (const name of hiddenPlaces) mkdirSync(path.join(root, name), { recursive: true })
  makeMountPoints(box)
  noteContainer(request.temp, client.engine, box.name)
  const started = await runClient(client, startWords(await describeContainer(box, request, image)), { seconds, signal })
  if (!started.ok) throw new SetupError(`${client.engine} run: ${started.said}`)
  const owner = await runClient(client, ['exec', box.name, 'stat', '-c', '%u:%g', '/tests'], { seconds, signal })
  if (!owner.ok) throw new SetupError(`${client.engine} exec: ${owner.said}`)
  box.owner = owner.stdout
}

/** The temp directory may be below a place, /tmp: the engine would create its mount points there as root. */
function makeMountPoints({ places }: Box): void {
  for (const { from } of places) {
    const around = places.find(({ at }) => isSubpath(from, at))
    if (around !== undefined) mkdirSync(path.join(around.from, path.relative(around.at, from)), { recursive: true })
  }
}

/** Empty until the agent ended. */
const hiddenPlaces = ['/tests', '/solution']

async function describeContainer({ client, name, root, places }: Box, request: WorldRequest, image: string) {
  const { task, env, policy, programs } = request
  // the network of this machine, where something of this process is to be reached on loopback
  const open = programs === null && !hasProxyLogin(env) ? 'bridge' : 'host'
  const network = policy.network === 'open' ? open : 'none'
  const { cpus, memory_mb: memoryMb } = task.limits
  return {
    engine: client.engine,
    ...({ name, mark: env[runMark] ?? '', image, workdir: task.workdir, network, cpus, memoryMb } as const),
    ...{ processes: policy.limits.processes, fileBytes: policy.limits.fileBytes },
    mounts: [
      ...places.map(({ from, at }) => ({ from, at })),
      ...places.map(({ from }) => ({ from, at: from })), // variables and engines use the paths of this machine
      ...hiddenPlaces.map((at) => ({ from: path.join(root, at), at })),
      ...(await listReadOnlyMounts(request)),
    ],
  }
}

/** On the PATH of the container, after the image's own folders. */
const ownPrograms = '/run/whetstone/bin'

/** What the user lets agents read, and the agent's own program with the Node of this process; what is hidden in them is empty. */
async function listReadOnlyMounts({ policy, programs, temp }: WorldRequest): Promise<ContainerMount[]> {
  const parts = programs === null ? [] : await findCommandParts(programs)
  const own = parts.filter((part) => !isSystemPath(part)) // the image has its own system
  const { hidden, cleared } = await findHiddenPlaces(policy)
  const found = await findExistingPlaces([...new Set([...policy.readable, ...own])])
  const shown = found.filter(({ real }) => !hidden.some((one) => isSubpath(real, one.real)))
  const empty = path.join(temp, 'empty')
  mkdirSync(empty, { recursive: true })
  const wider = shown.filter(({ real }) => !cleared.some((one) => one.real === real))
  const covers = [...findCovers(shown, hidden), ...findCovers(wider, cleared)].filter(
    (cover) => !shown.some((one) => one.path === cover.path),
  )
  const mounts = [
    ...shown.map((one) => ({ from: one.path, at: one.path })),
    ...covers.map((one) => ({ from: one.isFolder ? empty : '/dev/null', at: one.path })),
    ...(programs === null ? [] : [{ from: process.execPath, at: `${ownPrograms}/node` }]),
  ]
  return mounts.map((mount) => ({ ...mount, readOnly: true }))
}

/** Copies what the image has at each place; a place that it lacks stays empty. Throws SetupError. */
async function fillPlaces({ client, places }: Box, image: string, signal: AbortSignal): Promise<void> {
  const limits = { seconds, signal }
  const made = await runClient(client, ['create', '--pull', 'never', image, 'true'], limits)
  if (!made.ok) throw new SetupError(`${client.engine} create: ${made.said}`)
  const id = made.stdout.split('\n').at(-1) ?? ''
  try {
    for (const { from, at } of places) {
      const copied = await runClient(client, ['cp', `${id}:${at}/.`, from], limits)
      const isMissing = /could not (find|be found)|not found|no such (file|container:path)/i.test(copied.said)
      if (!copied.ok && !isMissing) throw new SetupError(`${client.engine} cp ${at}: ${copied.said}`)
      chmodSync(from, at === '/tmp' ? 0o1777 : 0o755)
    }
  } finally {
    await runClient(client, removeWords(id), { seconds, signal: new AbortController().signal })
  }
}

/** Where further agents look for skills, below a home or a working folder. */
const otherAgents = ['.agents', '.goose', '.factory', '.cursor', '.github', '.config/opencode', '.kiro']

/** Removes the task's skills that the image has: each run installs its own, in the configuration with the skill. */
function removeTaskSkills(root: string, { skills, workdir }: Pick<HarborTask, 'skills' | 'workdir'>): void {
  const own = listEngines().flatMap(({ settings = [] }) => settings)
  const folders = [...own, ...otherAgents].flatMap((agent) => [`${agent}/skills`, `${agent}/skill`])
  for (const base of new Set(['/root', workdir])) {
    for (const folder of folders)
      for (const { path: skill } of skills) removeInside(root, path.join(base, folder, path.basename(skill)))
  }
}

/** A link in the image may lead out of the world: then nothing is removed. */
function removeInside(root: string, inside: string): void {
  const parent = path.dirname(path.join(root, inside))
  try {
    if (realpathSync(parent) === parent) rmSync(path.join(root, inside), { recursive: true, force: true })
  } catch {} // the folder does not exist
}

/** A restart ends every process of the container, however it was started. Without one nothing can run there any more. */
async function settleContainer(box: Box, signal: AbortSignal): Promise<void> {
  const { client, name, places, owner } = box
  if (owner === null) return
  const ended = await runClient(client, ['restart', '-t', '0', name], { seconds, signal })
  if (!ended.ok) return await removeContainer(box)
  const folders = [...places.map(({ at }) => at), ...hiddenPlaces]
  await runClient(client, ownWords(name, owner, folders), { seconds, signal }) // a file that stays another's is left out
}

async function removeContainer({ client, name, root }: Box): Promise<void> {
  const limits = { seconds, signal: new AbortController().signal }
  for (const words of [openFilesWords(name, root), removeWords(name)])
    await runClient(client, words, limits).catch(() => {}) // a later start removes it
}

/** Builds in progress, by the client's program and the image's name: concurrent runs of a task wait for one. */
const building = new Map<string, Promise<void>>()

const quickSeconds = 60

/** Its name, once it is on this machine. Throws SetupError. */
async function provideImage(client: ContainerClient, task: HarborTask, how: BuildOptions): Promise<string> {
  const name = imageName(task)
  const key = `${client.program} ${name}`
  const build = building.get(key) ?? obtainImage(client, { task, name, ...how }).finally(() => building.delete(key))
  building.set(key, build)
  await build
  return name
}

/** By what the image is built from: neither the task's place nor its skills. */
function imageName({ image, sha256 }: HarborTask): string {
  return image ?? `whetstone-${sha256.slice(0, 32)}`
}

interface BuildOptions {
  /** Of the Dockerfile's commands; the images that it starts from are always pulled. */
  network: SandboxPolicy['network']
  signal: AbortSignal
}

interface WantedImage extends BuildOptions {
  task: HarborTask
  name: string
}

async function obtainImage(client: ContainerClient, { task, name, network, signal }: WantedImage): Promise<void> {
  const known = await runClient(client, ['image', 'inspect', name], { seconds: quickSeconds, signal })
  if (known.ok) return
  const limits = { seconds: task.build_seconds, signal }
  if (task.image !== null) {
    const pulled = await runClient(client, ['pull', '--quiet', name], limits)
    if (!pulled.ok) throw new SetupError(`${client.engine} pull ${name}: ${pulled.said}`)
    return
  }
  await using scratch = await openScratch()
  const context = path.join(scratch.path, 'environment')
  copyContext(path.join(task.folder, 'environment'), context)
  const closed = network === 'open' ? [] : ['--network', 'none']
  const built = await runClient(client, ['build', '--quiet', ...closed, '--tag', name, context], limits)
  if (built.ok) return
  throw new SetupError(`${client.engine} build${network === 'open' ? '' : ` (${closedBuild})`}: ${built.said}`)
}

/** Without the files of skills: the Dockerfile copies their empty folders, and only a run with the skill gets its files. */
function copyContext(environment: string, target: string): void {
  const skills = path.join(environment, 'skills')
  cpSync(environment, target, { recursive: true, verbatimSymlinks: true, filter: (source) => source !== skills })
  for (const entry of listEntries(skills).filter((one) => one.isDirectory()))
    mkdirSync(path.join(target, 'skills', entry.name), { recursive: true })
}
