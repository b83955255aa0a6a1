/** Prepares the starting state of a case for trial answers, and inspects its files. */

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { isIgnoredPath } from '../../base/fs/ignored_folders.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { listSkillsFolders } from '../../engines/skills_folders.ts'
import { findEngine } from '../../engines/table.ts'
import { openCheckSurroundings } from '../../phases/2-run/workspace/check_surroundings.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'
import { SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from '../../phases/2-run/workspace/working_folder.ts'
import type { FlowContext } from '../flow_context.ts'

export interface TrialPlace {
  env: Record<string, string>
  /** Of command checks, with what the case sets. */
  checkEnv: Record<string, string>
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  /** Builds the request that sets up the case in that folder. */
  startIn: (cwd: string) => Omit<WorkspaceRequest, 'skill'>
}

interface PlaceRequest {
  one: SuiteCase
  sandbox: SandboxChoice
  hidden: readonly string[]
  settings: Suite['sandbox']
}

/** A place in the temp directory for what the case and its checks start. */
export async function prepareTrialPlace(
  { one, hidden, ...request }: PlaceRequest,
  tempDir: TempDir,
  { env: user, signal }: FlowContext,
): Promise<TrialPlace> {
  const env = buildRunEnvironment({ user, home: tempDir.path, mark: tempDir.mark, passEnv: [], hidden: [] })
  await mkdir(env.TMPDIR ?? tempDir.path, { recursive: true })
  const skillsFolders = listSkillsFolders(findEngine('command'), {})
  const { files, git, setup } = one
  const parts = { hidden, settings: request.settings }
  const checks = openCheckSurroundings(env, one.environment, { folder: tempDir.path, trust: request.sandbox })
  await checks.install()
  return {
    env,
    checkEnv: checks.env,
    sandboxFor: (writable) => confine(request.sandbox, { writable, ...parts }),
    startIn: (cwd) => ({
      ...{ cwd, files, git, setup, skillsFolders, env, setupEnv: checks.env, signal },
      sandbox: confine(request.sandbox, { writable: [cwd, tempDir.path], ...parts, phase: 'setup' }),
    }),
  }
}

/** The reference's files that exist at the start (path → hex sha256); `failed`: why the start failed. */
export type TrialStart = { hashes: ReadonlyMap<string, string> } | { failed: string }

/** Sets up the case once, only to inspect it. Rejects only when aborted or on a bug. */
export async function inspectTrialStart(request: PlaceRequest, context: FlowContext): Promise<TrialStart> {
  const { files, git, setup, reference } = request.one
  if (files.length === 0 && git === null && setup === null) return { hashes: new Map() }
  await using tempDir = await openTempDir()
  const cwd = path.join(tempDir.path, 'work')
  const { startIn } = await prepareTrialPlace(request, tempDir, context)
  try {
    await prepareWorkspace({ ...startIn(cwd), skill: null })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SetupError) return { failed: error.message }
    throw error
  }
  const wanted = new Set(Object.keys(reference?.files ?? {}).map((name) => path.posix.normalize(name)))
  const found = await walk(cwd, { skip: isIgnoredPath, links: 'never', unreadable: 'leave_out' })
  const known = found.files.filter((file) => wanted.has(file.path))
  return {
    hashes: new Map(await Promise.all(known.map(async (one) => [one.path, await hashFile(one.source)] as const))),
  }
}
