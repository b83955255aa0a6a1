/** Bundles that were looked through and have not been touched since: as long as the file system says so, nothing is hashed again. */
import { statSync } from 'node:fs'
import path from 'node:path'

/** `settledMs`: a write so soon after another may leave the same times. `trustedMs`: then all is looked through again, for what changes without the file system's knowing. */
const usual = { settledMs: 2000, trustedMs: 600_000 }

interface Seen<T> {
  signature: string
  /** When it was first seen so, and when its content was last found sound; by a clock that nobody sets. */
  since: number
  checkedAt: number
  found: T
}

/** `paths`: everything a change of which counts. Files, folders and rights can't change without their ctime. */
function signatureOf(paths: readonly string[]): string | null {
  try {
    return paths
      .map((one) => {
        const { ino, size, mode, ctimeNs } = statSync(one, { bigint: true })
        return `${ino}:${size}:${mode}:${ctimeNs}`
      })
      .join(' ')
  } catch {
    return null
  }
}

export class Steady<T> {
  readonly #seen = new Map<string, Seen<T> & { paths: readonly string[] }>()
  readonly #times: typeof usual

  constructor(times = usual) {
    this.#times = times
  }

  /** What was found before under this name; null: look through it. */
  known(name: string): T | null {
    const one = this.#seen.get(name)
    if (one === undefined || one.checkedAt - one.since < this.#times.settledMs) return null
    if (performance.now() - one.checkedAt > this.#times.trustedMs) return null
    return signatureOf(one.paths) === one.signature ? one.found : null
  }

  /**
   * Looks through it. A change meanwhile is found the next time: its state is taken first. What was seen before stays until then, or
   * of many who look at once each would be the first, and none the second after a while.
   */
  async look(name: string, work: () => Promise<{ found: T; paths: readonly string[] }>): Promise<T> {
    const before = this.#seen.get(name)
    const signature = before === undefined ? null : signatureOf(before.paths)
    const started = performance.now()
    const { found, paths } = await work().catch((error: unknown) => {
      this.#seen.delete(name)
      throw error
    })
    const isSame = before !== undefined && signature === before.signature
    const now = isSame ? signature : signatureOf(paths)
    if (now !== null) {
      const since = isSame ? before.since : performance.now()
      this.#seen.set(name, { signature: now, since, checkedAt: isSame ? started : since, found, paths })
    }
    return found
  }
}

/** A folder, all above the given paths in it, and these. */
export function withFolders(folder: string, inside: readonly string[]): string[] {
  const all = new Set<string>([folder])
  for (const one of inside) {
    for (let at = one; at !== '.' && at !== '/'; at = path.dirname(at)) all.add(path.join(folder, at))
  }
  return [...all]
}
