/** Finds where Copilot has unpacked itself: 240 MB and seconds of work, which would otherwise be repeated by each run in its own home. */
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { EngineTask } from '../engine.ts'

/** Copilot's cache folder of the user, or the folder that the user names. */
export function copilotCache({ COPILOT_CACHE_HOME: chosen }: EngineTask['credentials']): string {
  return chosen || path.join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'copilot')
}

/** Copilot unpacks each version into `pkg/<platform>/<version>` of its cache folder. */
export async function listUnpacked(cache: string): Promise<string[]> {
  const platforms = await listFolders(path.join(cache, 'pkg'))
  return (await Promise.all(platforms.map(listFolders))).flat()
}

/**
 * Links the unpacked versions into a run's own cache folder. Everything else in a cache folder stays the run's own. A version that is
 * missing is unpacked by the run itself.
 */
export async function linkUnpacked(cache: string, own: string): Promise<void> {
  for (const folder of await listUnpacked(cache)) {
    const link = path.join(own, path.relative(cache, folder))
    await mkdir(path.dirname(link), { recursive: true })
    await symlink(folder, link)
  }
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name))
}
