/** Bounds the bundles on a worker's disk: removes the least recently used ones first, and none in use. */
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { manifestBytes, parseManifest } from './manifest.ts'
import { removeReadOnly } from './remove.ts'

export interface PruneBundlesRequest {
  /** Folder of the bundles, each a folder named by its hash. */
  entries: string
  /** Folder of the marks of bundles in use, named `<sha256>-<process>`. */
  held: string
  maxBytes: number
  /** Returns a free name to move a bundle to. */
  aside: () => string
}

/** Removes bundles until the rest fits. A mark set during the removal comes too late: that user fetches the bundle again. */
export async function pruneEntries({ entries, held, maxBytes, aside }: PruneBundlesRequest): Promise<void> {
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

/** A bundle with an unreadable manifest counts as 0 bytes, and is removed on its next use. */
function sizeAndUse(entries: string, name: string): { name: string; bytes: number; usedAt: number } {
  const entry = path.join(entries, name)
  const usedAt = statSync(entry).mtimeMs
  try {
    const manifest = parseManifest(name, readFileSync(path.join(entry, 'manifest.json'), 'utf8'))
    return { name, bytes: manifest === null ? 0 : manifestBytes(manifest), usedAt }
  } catch {
    return { name, bytes: 0, usedAt }
  }
}
