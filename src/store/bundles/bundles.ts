/** Inputs of runs by the hash of their content: put once by who plans, fetched and checked by who performs. */
import { type BundleCache, type CachedBundle, openBundleCache } from './cache.ts'
import { BundleError } from './damage.ts'
import { type BundleContent, describeBundle } from './manifest.ts'
import type { Objects } from './objects.ts'

/** A bundle on this machine. Its folder stays until it is disposed of; nothing in it may be changed. */
export interface OpenBundle extends CachedBundle, AsyncDisposable {}

export interface Bundles {
  /** Keeps files where every worker finds them; gives the name of the bundle. Throws what the file system throws. */
  put(content: BundleContent): Promise<string>
  /**
   * The bundle in a local folder, each file checked by its hash, on arrival and on every use. Damage is fetched anew once;
   * then, and where there is none of that name, it throws BundleError.
   */
  get(sha256: string): Promise<OpenBundle>
}

export interface BundleOptions {
  objects: Objects
  /** Local folder for fetched bundles; null: this side only puts. */
  cache: { folder: string; maxBytes: number } | null
  /** Told of damage that was mended, or is about to be reported. */
  onDamage?: (damage: BundleError) => void
}

export async function openBundles({ objects, cache, onDamage = () => {} }: BundleOptions): Promise<Bundles> {
  const local: BundleCache | null = cache === null ? null : await openBundleCache(cache)
  const open = async (sha256: string): Promise<OpenBundle> => {
    if (local === null) throw new Error('these bundles are only put')
    await local.hold(sha256)
    try {
      const found = await fetchSound(sha256, { local, objects, onDamage })
      return { ...found, [Symbol.asyncDispose]: () => local.release(sha256) }
    } catch (error) {
      await local.release(sha256)
      throw error
    }
  }
  return { put: (content) => put(objects, content), get: open }
}

/** The manifest goes last: whoever finds it finds all that it names. */
async function put(objects: Objects, content: BundleContent): Promise<string> {
  const bundle = await describeBundle(content)
  for (const [hash, file] of bundle.sources) await objects.put(hash, { file })
  await objects.put(bundle.sha256, { text: bundle.text })
  return bundle.sha256
}

interface Fetching {
  local: BundleCache
  objects: Objects
  onDamage: (damage: BundleError) => void
}

/** Two tries: what was damaged here or on the way is whole the second time; what is damaged where it is kept is not. */
async function fetchSound(sha256: string, { local, objects, onDamage }: Fetching): Promise<CachedBundle> {
  for (let tries = 1; ; tries += 1) {
    try {
      const there = await local.find(sha256)
      return there ?? (await local.fetch(sha256, objects))
    } catch (error) {
      if (!(error instanceof BundleError)) throw error
      onDamage(error)
      if (tries > 1) throw error
      await local.drop(sha256)
    }
  }
}
