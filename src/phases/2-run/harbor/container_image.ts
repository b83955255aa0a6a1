/** The image of a Harbor task: the one that task.toml names, or one that is built once from environment/. */
import { cpSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { HarborTask } from '../../../../schemas/harbor_task.ts'
import { type ContainerClient, runClient } from '../../../base/container/client.ts'
import { listEntries } from '../../../base/fs/files.ts'
import { openScratch } from '../../../base/fs/temp_dir.ts'
import type { SandboxPolicy } from '../../../base/sandbox/policy.ts'
import { SetupError } from '../workspace/symlink_traps.ts'
import { closedBuild } from './plain_world.ts'

/** Builds in progress, by the client's program and the image's name: concurrent runs of a task wait for one. */
const building = new Map<string, Promise<void>>()

const quickSeconds = 60

/** Its name, once it is on this machine. Throws SetupError. */
export async function provideImage(client: ContainerClient, task: HarborTask, how: BuildOptions): Promise<string> {
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
