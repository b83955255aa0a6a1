/** Finds every artefact of some names below a folder, at any depth: in workspaces, iterations and histories. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Files from agents may have any name, so folders of runs and hidden folders are skipped. */
const ignoredFolderPattern = /^(?:\.|node_modules$|outputs$|eval-|run-\d)/

/** Absolute paths, in order. Does not follow links; reports folders that can't be read. */
export async function findArtefacts(
  root: string,
  names: ReadonlySet<string>,
  onUnreadable: (folder: string, error: unknown) => void,
): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    onUnreadable(root, error)
    return []
  })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const place = path.join(root, entry.name)
    if (entry.isFile() && names.has(entry.name)) found.push(place)
    if (entry.isDirectory() && !ignoredFolderPattern.test(entry.name)) {
      found.push(...(await findArtefacts(place, names, onUnreadable)))
    }
  }
  return found
}
