/** Skips verifying bundles that have not changed since the last verification, as far as the file system shows. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { attempt } from '../../../base/errors/attempt.ts'

/** `settledMs`: writes this close together may leave the same times. `trustedMs`: verify again after this, for changes without a trace. */
const usual = { settledMs: 2000, trustedMs: 600_000 }

interface SeenEntry<T> {
  signature: string
  /** When this state was first seen, and when its content was last verified; by the monotonic clock. */
  since: number
  checkedAt: number
  found: T
}

/** `paths`: all paths that must not change. A change of a file, folder or permission always changes its ctime. */
function readSignature(paths: readonly string[]): string | null {
  const read = (one: string) => {
    const { ino, size, mode, ctimeNs } = statSync(one, { bigint: true })
    return `${ino}:${size}:${mode}:${ctimeNs}`
  }
  return attempt(() => paths.map(read).join(' '), null)
}

export class UnchangedCache<T> {
  readonly #seen = new Map<string, SeenEntry<T> & { paths: readonly string[] }>()
  readonly #times: typeof usual

  constructor(times = usual) {
    this.#times = times
  }

  /** The earlier result for this name; null: verify it. */
  known(name: string): T | null {
    const one = this.#seen.get(name)
    if (one === undefined || one.checkedAt - one.since < this.#times.settledMs) return null
    if (performance.now() - one.checkedAt > this.#times.trustedMs) return null
    return readSignature(one.paths) === one.signature ? one.found : null
  }

  /**
   * Verifies a bundle. A change during that is found the next time, because its state is read first. The earlier result stays until
   * then: otherwise, of several concurrent verifications, each would count as the first.
   */
  async look(name: string, work: () => Promise<{ found: T; paths: readonly string[] }>): Promise<T> {
    const before = this.#seen.get(name)
    const signature = before === undefined ? null : readSignature(before.paths)
    const started = performance.now()
    const { found, paths } = await work().catch((error: unknown) => {
      this.#seen.delete(name)
      throw error
    })
    const isSame = before !== undefined && signature === before.signature
    const now = isSame ? signature : readSignature(paths)
    if (now !== null) {
      const since = isSame ? before.since : performance.now()
      this.#seen.set(name, { signature: now, since, checkedAt: isSame ? started : since, found, paths })
    }
    return found
  }
}

/** A folder, the given paths inside it, and all folders in between. */
export function withFolders(folder: string, inside: readonly string[]): string[] {
  const all = new Set<string>([folder])
  for (const one of inside) {
    for (let at = one; at !== '.' && at !== '/'; at = path.dirname(at)) all.add(path.join(folder, at))
  }
  return [...all]
}
