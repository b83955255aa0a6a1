/** Bounds the bundles on a worker's disk: the least recently used ones go first, none that is in use. */
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { bytesOf, manifestOf } from './manifest.ts'
import { removeReadOnly } from './remove.ts'

export interface PruneRequest {
  /** Folder of the bundles, each a folder named by its hash. */
  entries: string
  /** Folder of the marks of use, named `<sha256>-<process>`. */
  held: string
  maxBytes: number
  /** A free name to move a bundle to. */
  aside: () => string
}

/** Removes bundles until the rest fits. A mark that is set in the very moment of a removal comes too late: that use fetches again. */
export async function pruneEntries({ entries, held, maxBytes, aside }: PruneRequest): Promise<void> {
  const found = readdirSync(entries).map((name) => sizeAndUse(entries, name))
  let total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes } of found.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxBytes) return
    if (readdirSync(held).some((mark) => mark.startsWith(`${name}-`))) continue
    const gone = aside()
    renameSync(path.join(entries, name), gone)
    await removeReadOnly(gone)
    total -= bytes
  }
}

/** One whose list is unreadable counts as nothing, and goes when it is asked for. */
function sizeAndUse(entries: string, name: string): { name: string; bytes: number; usedAt: number } {
  const entry = path.join(entries, name)
  const usedAt = statSync(entry).mtimeMs
  try {
    const manifest = manifestOf(name, readFileSync(path.join(entry, 'manifest.json'), 'utf8'))
    return { name, bytes: manifest === null ? 0 : bytesOf(manifest), usedAt }
  } catch {
    return { name, bytes: 0, usedAt }
  }
}
