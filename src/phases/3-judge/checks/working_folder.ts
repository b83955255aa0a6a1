/** What lay in the working folder when the agent ended, beyond what it made or changed. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../../schemas/check.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { messageOf } from '../../../base/error.ts'
import { hashFile, walk } from '../../../base/files.ts'
import { isPassedOver } from '../../../base/passed_over.ts'
import { openRoom } from '../../../base/room.ts'
import type { CheckScene } from './scene.ts'

/** One file that the agent left as it was given. */
export interface Untouched {
  path: string
  sha256: () => Promise<string>
}

/**
 * Gives the untouched files to `look`. From the case alone where that lists all of them; else (folders, a git bundle,
 * a setup command) the folder is rebuilt for as long as `look` takes. `error`: it could not be.
 */
export async function untouched<T>(
  scene: CheckScene,
  look: (files: readonly Untouched[]) => Promise<T>,
): Promise<T | { error: string }> {
  const outputs = new Set(scene.outputs)
  const deleted = new Set(scene.record.outputs.deleted)
  const isUntouched = (name: string) => !outputs.has(name) && !deleted.has(name)
  if (isListed(scene.start)) {
    const files = scene.start.files.filter((file) => isUntouched(file.path))
    return await look(files.map((file) => ({ path: file.path, sha256: async () => file.sha256 })))
  }
  return await inWorkingFolder(scene, async ({ cwd }) => {
    const { files } = await walk(cwd, { skip: isPassedOver, links: 'never', unreadable: 'leave_out' })
    const left = files.filter((file) => isUntouched(file.path))
    return await look(left.map((file) => ({ path: file.path, sha256: () => hashFile(file.source) })))
  })
}

/** Rebuilds the folder as the agent left it, for as long as `work` takes. `error`: it could not be. */
export async function inWorkingFolder<T>(
  scene: CheckScene,
  work: (place: { cwd: string; mark: string }) => Promise<T>,
): Promise<T | { error: string }> {
  await using room = await openRoom()
  const cwd = path.join(room.path, 'work')
  await mkdir(cwd)
  try {
    await scene.restore(cwd)
  } catch (error) {
    scene.signal.throwIfAborted()
    return { error: `the working folder could not be rebuilt: ${messageOf(error)}` }
  }
  return await work({ cwd, mark: room.mark }) // awaited: the room must outlive it
}

/** Whether the case names every file that lay there. */
function isListed({ files, git, setup }: CheckScene['start']): boolean {
  return setup === null && (git === null || git === true) && files.every((file) => file.kind === 'file')
}

/** Whether deciding the check starts processes, for which there must be a place. */
export function needsPlace(check: Check, start: Pick<SuiteCase, 'files' | 'git' | 'setup'>): boolean {
  if (check.type === 'command') return true
  return (check.type === 'file_absent' || check.type === 'file_hash') && !isListed(start)
}
