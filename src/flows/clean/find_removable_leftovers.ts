/** Finds what processes that are gone left behind: temporary folders, and parts of workspaces on their way in or out. */
import path from 'node:path'
import { findStaleTempDirs } from '../../base/fs/temp_dir.ts'
import { readOwnerState } from '../../base/fs/temp_sibling.ts'
import { readNames, sumTreeBytes } from '../../base/fs/tree_size.ts'
import type { KeptWorkspace } from './read_workspace.ts'

interface Leftover {
  path: string
  bytes: number
}

/** `own`: in workspaces; `temporary`: in the system's temporary folder. */
export async function findRemovableLeftovers(
  workspaces: readonly KeptWorkspace[],
): Promise<{ own: Leftover[]; temporary: Leftover[] }> {
  const own: Leftover[] = []
  for (const { folders, workspace } of workspaces) {
    const above = new Set([workspace, ...folders.map((folder) => path.dirname(folder.path))])
    for (const folder of above) {
      for (const name of readNames(folder)) {
        const place = path.join(folder, name)
        if ((await readOwnerState(name)) === 'gone') own.push({ path: place, bytes: sumTreeBytes(place) })
      }
    }
  }
  const temporary = (await findStaleTempDirs()).map(({ folder }) => ({ path: folder, bytes: sumTreeBytes(folder) }))
  return { own, temporary }
}
