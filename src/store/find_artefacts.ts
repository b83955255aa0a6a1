/** Every artefact of some names below a folder, however deep: workspaces, iterations, histories kept in a tree. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** What agents leave behind may look like anything; runs and hidden folders hold nothing of this. */
const passedOver = /^(?:\.|node_modules$|outputs$|eval-|run-\d)/

/** Absolute paths, in order. Links are not followed; a folder that can't be read is told. */
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
    if (entry.isDirectory() && !passedOver.test(entry.name)) {
      found.push(...(await findArtefacts(place, names, onUnreadable)))
    }
  }
  return found
}
