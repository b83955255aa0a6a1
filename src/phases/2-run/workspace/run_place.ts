/** The place of a run: a working folder in its temp directory, or the world of a Harbor task. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import type { Engine } from '../../../engines/engine.ts'
import { selectCredentials } from '../../../engines/models/base_url.ts'
import { openWorld } from '../harbor/open_world.ts'
import type { HarborWorld } from '../harbor/world.ts'
import { buildPolicy, confine } from './sandbox_policy.ts'

export interface RunPlace {
  /** The working folder, absolute. */
  cwd: string
  env: Record<string, string>
  sandbox: Sandbox | null
  /** null: not a Harbor task. */
  world: HarborWorld | null
}

interface PlaceRequest {
  spec: RunSpec
  engine: Engine
  sandbox: SandboxChoice
  userEnv: Readonly<Record<string, string | undefined>>
}

interface PlaceParts {
  env: Record<string, string>
  /** The run's home folder, absolute. */
  home: string
  /** Paths that no agent may see. */
  hidden: readonly string[]
}

/** Folder in a run's temp directory for scripts of hooks and servers, outside of the working folder. */
export function environmentFolder(temp: string): string {
  return path.join(temp, 'environment')
}

/** Throws SetupError when a Harbor task can't have its world here. */
export function openRunPlace(
  request: PlaceRequest,
  temp: string,
  parts: PlaceParts,
): Promise<RunPlace & AsyncDisposable> {
  return request.spec.harbor === undefined ? openOwnPlace(request, temp, parts) : openTaskPlace(request, temp, parts)
}

async function openOwnPlace(
  { spec, sandbox }: PlaceRequest,
  temp: string,
  { env, home, hidden }: PlaceParts,
): Promise<RunPlace & AsyncDisposable> {
  const cwd = path.join(temp, 'work')
  const only = makeWritableFolders(cwd, spec)
  const readable = [environmentFolder(temp), ...(only === null ? [] : [cwd])]
  const parts = { writable: [...(only ?? [cwd]), home], readable, hidden, settings: spec.sandbox }
  return { cwd, env, sandbox: confine(sandbox, parts), world: null, async [Symbol.asyncDispose]() {} }
}

async function openTaskPlace(
  { spec, engine, sandbox, userEnv }: PlaceRequest,
  temp: string,
  { env, hidden }: PlaceParts,
): Promise<RunPlace & AsyncDisposable> {
  if (spec.harbor === undefined) throw new Error('the run is not of a Harbor task')
  const parts = { writable: [], readable: [environmentFolder(temp)], hidden, settings: spec.sandbox }
  const credentials = selectCredentials(engine, spec.engine, userEnv)
  const programs = (await engine.findPrograms?.({ command: spec.engine.command ?? null, env, credentials })) ?? null
  const [confined, policy] = [confine(sandbox, parts), buildPolicy(sandbox, parts)]
  const world = await openWorld({ task: spec.harbor, temp, env, userEnv, sandbox: confined, policy, programs })
  const { cwd } = world
  return {
    cwd,
    env: world.env,
    sandbox: world.sandbox,
    world,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Creates the only folders that the run may write to, inside the working folder; null: all of it is writable. */
function makeWritableFolders(cwd: string, { sandbox }: RunSpec): string[] | null {
  const folders = sandbox?.only_writable?.map((name) => path.join(cwd, name)) ?? null
  for (const folder of folders ?? []) mkdirSync(folder, { recursive: true })
  return folders
}
