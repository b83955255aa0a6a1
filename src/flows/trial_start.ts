/** The starting state of a case for answers that no agent gave: how it is laid out, and what lies there. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Suite, SuiteCase } from '../../schemas/suite.ts'
import { hashFile, walk } from '../base/files.ts'
import { isPassedOver } from '../base/passed_over.ts'
import { openRoom, type Room } from '../base/room.ts'
import type { SandboxChoice } from '../base/sandbox/choose.ts'
import type { Sandbox } from '../base/sandbox/policy.ts'
import { engineNamed } from '../engines/table.ts'
import { confine } from '../phases/2-run/confine.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import { layOut, SetupError, type WorkspaceRequest } from '../phases/2-run/workspace.ts'
import type { FlowContext } from './context.ts'

export interface TrialPlace {
  env: Record<string, string>
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  /** What lays the case out in that folder. */
  startIn: (cwd: string) => Omit<WorkspaceRequest, 'skill'>
}

interface PlaceRequest {
  one: SuiteCase
  sandbox: SandboxChoice
  hidden: readonly string[]
  settings: Suite['sandbox']
}

/** A place in the room for what the case and its checks start. */
export async function trialPlace(
  { one, hidden, ...request }: PlaceRequest,
  room: Room,
  { env: user, signal }: FlowContext,
): Promise<TrialPlace> {
  const env = runEnvironment({ user, home: room.path, mark: room.mark, passEnv: [], hidden: [] })
  await mkdir(env.TMPDIR ?? room.path, { recursive: true })
  const { skillsFolder } = engineNamed('command')
  const { files, git, setup } = one
  const sandboxFor = (writable: readonly string[]) =>
    confine(request.sandbox, { writable, hidden, settings: request.settings })
  return {
    env,
    sandboxFor,
    startIn: (cwd) => ({
      ...{ cwd, files, git, setup, skillsFolder, env, signal },
      sandbox: sandboxFor([cwd, room.path]),
    }),
  }
}

/** Path → hex sha256 of those of the reference's files that lie there at the start; `failed`: why there is no start. */
export type TrialStart = { hashes: ReadonlyMap<string, string> } | { failed: string }

/** Lays the case out once, for as long as it takes to look. Rejects only when aborted or on a bug. */
export async function startOf(request: PlaceRequest, context: FlowContext): Promise<TrialStart> {
  const { files, git, setup, reference } = request.one
  if (files.length === 0 && git === null && setup === null) return { hashes: new Map() }
  await using room = await openRoom()
  const cwd = path.join(room.path, 'work')
  const { startIn } = await trialPlace(request, room, context)
  try {
    await layOut({ ...startIn(cwd), skill: null })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SetupError) return { failed: error.message }
    throw error
  }
  const wanted = new Set(Object.keys(reference?.files ?? {}).map((name) => path.posix.normalize(name)))
  const found = await walk(cwd, { skip: isPassedOver, links: 'never', unreadable: 'leave_out' })
  const known = found.files.filter((file) => wanted.has(file.path))
  return {
    hashes: new Map(await Promise.all(known.map(async (one) => [one.path, await hashFile(one.source)] as const))),
  }
}
