/** Removes read-only folders. */
import { existsSync, lstatSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/** Makes folders writable first: otherwise only root can remove their content. */
export async function removeReadOnly(place: string): Promise<void> {
  if (!existsSync(place)) return
  if (lstatSync(place).isDirectory()) await makeWritable(place)
  await rm(place, { recursive: true, force: true })
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name))
  }
}
