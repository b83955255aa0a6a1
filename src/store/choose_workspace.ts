/** Chooses the folder for results, and refuses one with links out of it: through them its sender would write and remove elsewhere. */
import { readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { attempt } from '../base/errors/attempt.ts'
import { UserError } from '../base/errors/error.ts'
import { isSubpath } from '../base/fs/inside_folder.ts'
import { workspaceFolders } from './paths.ts'

/** Absolute: the given folder, else one of this name below `workspaces`. Throws as assertNoLinksOut does. */
export function chooseWorkspace(given: string | null | undefined, name: string): string {
  const workspace = path.resolve(given ?? path.join('workspaces', name))
  assertNoLinksOut(workspace)
  return workspace
}

/** Throws UserError if one of Whetstone's folders in the workspace, or an entry of one, is a link that leads out. */
function assertNoLinksOut(workspace: string): void {
  const root = tryResolve(workspace)
  if (root === null) return
  const own = workspaceFolders.map((name) => path.join(root, name))
  for (const link of [...listLinks(root).filter((one) => own.includes(one)), ...own.flatMap(listLinks)]) {
    const target = tryResolve(link)
    if (target !== null && isSubpath(target, root)) continue
    const fix = 'remove it; to keep results elsewhere, name a folder with --workspace'
    throw new UserError(`${link}: a link that leads out of the workspace`, fix)
  }
}

/** The links in a folder, absolute. */
function listLinks(folder: string): string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
    return links.map(({ name }) => path.join(folder, name))
  } catch {
    return []
  }
}

/** null: it leads nowhere. */
function tryResolve(place: string): string | null {
  return attempt(() => realpathSync(place), null)
}
