/** Removes temporary files and folders in a benchmark from processes that were killed before they could rename them. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { readOwnerState } from '../../base/fs/temp_sibling.ts'

/** Milliseconds. When the owner is not known here (on another machine, of an earlier version), a file this old is abandoned. */
const oldMs = 3_600_000
/** Levels of a benchmark's own folders: case, configuration, run. Deeper levels belong to agents. */
const levels = 3
/** Folders of agents, and folders that their next user completes. */
const foreign = new Set(['outputs', 'work', 'report.data', '.partial'])

/** Removes abandoned files of a benchmark whose lease is held. Leaves those of living processes. */
export async function removeLeftFiles(folder: string, depth = 0): Promise<void> {
  if (depth > 0) await immediate() // other work must continue in a benchmark of very many runs
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name)
    if (entry.name.endsWith('.tmp')) {
      if (await isLeftBehind(place, depth)) rmSync(place, { recursive: true, force: true })
    } else if (entry.isDirectory() && depth < levels && !foreign.has(entry.name)) {
      await removeLeftFiles(place, depth + 1)
    }
  }
}

async function isLeftBehind(place: string, depth: number): Promise<boolean> {
  const name = path.basename(place)
  const state = await readOwnerState(name)
  // only the holder of the lease writes into the folder of a run
  if (depth === levels) return name.startsWith('.') && state !== 'lives'
  return state === 'gone' || (state === 'unknown' && isOld(place))
}

function isOld(place: string): boolean {
  const info = statSync(place, { throwIfNoEntry: false })
  return info !== undefined && Date.now() - info.mtimeMs > oldMs
}
