/** Gives checks access to the whole working folder as the agent left it, with files that it did not change. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Check, isProgramCheck } from '../../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../../schemas/suite.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { hashFile, walk } from '../../../../base/fs/files.ts'
import { isIgnoredPath } from '../../../../base/fs/ignored_folders.ts'
import { openTempDir } from '../../../../base/fs/temp_dir.ts'
import type { CheckContext } from './check_input.ts'

/** A file that the agent did not change. */
export interface UntouchedFile {
  path: string
  sha256: () => Promise<string>
}

/**
 * Calls `look` with the untouched files. Uses the case alone if it lists all files; otherwise (folders, a git bundle,
 * a setup command) rebuilds the folder while `look` runs. `error`: that failed.
 */
export async function useUntouchedFiles<T>(
  context: CheckContext,
  look: (files: readonly UntouchedFile[]) => Promise<T>,
): Promise<T | { error: string }> {
  const outputs = new Set(context.outputs)
  const deleted = new Set(context.record.outputs.deleted)
  const isUntouched = (name: string) => !outputs.has(name) && !deleted.has(name)
  if (isListed(context.start)) {
    const files = context.start.files.filter((file) => isUntouched(file.path))
    return await look(files.map((file) => ({ path: file.path, sha256: async () => file.sha256 })))
  }
  return await useWorkingFolder(context, async ({ cwd }) => {
    const { files } = await walk(cwd, { skip: isIgnoredPath, links: 'never', unreadable: 'leave_out' })
    const left = files.filter((file) => isUntouched(file.path))
    return await look(left.map((file) => ({ path: file.path, sha256: () => hashFile(file.source) })))
  })
}

/** The folders of one check, absolute. They did not exist while the agent ran, and no other check sees them. */
export interface CheckFolders {
  /** The copy of the working folder as the agent left it. */
  cwd: string
  /** Only files of the suite. */
  own: string
  mark: string
}

/** Rebuilds the folder as the agent left it while `work` runs. `error`: that failed. */
export async function useWorkingFolder<T>(
  context: CheckContext,
  work: (place: CheckFolders) => Promise<T>,
): Promise<T | { error: string }> {
  await using tempDir = await openTempDir()
  const cwd = path.join(tempDir.path, 'work')
  const own = path.join(tempDir.path, 'check')
  await mkdir(cwd)
  await mkdir(own)
  try {
    await context.restore(cwd, 'end')
  } catch (error) {
    context.signal.throwIfAborted()
    return { error: `the working folder could not be rebuilt: ${errorMessage(error)}` }
  }
  return await work({ cwd, own, mark: tempDir.mark }) // awaited, because the temp directory must outlive it
}

function isListed({ files, git, setup }: CheckContext['start']): boolean {
  return setup === null && (git === null || git === true) && files.every((file) => file.kind === 'file')
}

/** Whether deciding the check starts processes, which needs a temp directory. */
export function checkStartsProcesses(check: Check, start: Pick<SuiteCase, 'files' | 'git' | 'setup'>): boolean {
  if (isProgramCheck(check)) return true
  return (check.type === 'file_absent' || check.type === 'file_hash') && !isListed(start)
}
