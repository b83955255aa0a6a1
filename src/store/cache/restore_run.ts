/** Writes a cached run into a benchmark: fills a temporary folder, then moves it into place by one rename. */
import { constants, copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { moveRun } from '../store.ts'

/** Content of small files by their path in the run's folder; paths of large ones. */
export interface CachedRunFiles {
  small: ReadonlyMap<string, Uint8Array>
  /** Executable files among the small ones. */
  executable: readonly string[]
  large: readonly { path: string; source: string }[]
}

interface Place {
  /** Folder to fill, absolute. */
  partial: string
  /** The benchmark folder, absolute. */
  benchmark: string
  runId: string
}

/**
 * `texts` replace the run's own files, by path. Replaces the content of both places. Not synced, because the cache still has
 * what a power failure may lose. Throws what the file system throws.
 */
export function restoreRun(
  run: CachedRunFiles,
  texts: ReadonlyMap<string, string>,
  { partial, benchmark, runId }: Place,
): void {
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(path.join(partial, 'outputs'), { recursive: true })
  const place = (name: string) => {
    const file = path.join(partial, name)
    mkdirSync(path.dirname(file), { recursive: true })
    return file
  }
  for (const [name, data] of run.small) {
    writeFileSync(place(name), data, { mode: run.executable.includes(name) ? 0o777 : 0o666 })
  }
  for (const { path: name, source } of run.large) {
    if (!texts.has(name)) linkOrCopySync(source, place(name)) // a text in its place would be written into the cache
  }
  for (const [name, text] of texts) writeFileSync(place(name), text)
  moveRun(partial, benchmark, runId)
}

/** Links the file if possible, else copies it (sharing its blocks if possible). */
export function linkOrCopySync(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}
