/** Inputs of runs by the hash of their content: stored once by the planner, fetched and verified by workers. */
import { type BundleCache, type CachedBundle, openBundleCache } from './cache.ts'
import { type BundleContent, BundleError, describeBundle, type ObjectStore } from './manifest.ts'

/** A bundle on this machine. Its folder remains until it is disposed; do not change anything in it. */
export interface OpenBundle extends CachedBundle, AsyncDisposable {}

export interface Bundles {
  /**
   * The bundle in a local folder; verifies the hash of each file on arrival and on every use. Fetches a damaged one again, once;
   * throws BundleError when that fails, and when a bundle of that name is missing.
   */
  get(sha256: string): Promise<OpenBundle>
}

export interface BundleOptions {
  objects: ObjectStore
  /** Local folder for fetched bundles. */
  cache: { folder: string; maxBytes: number }
  /** Called with damage that was repaired or is about to be thrown. */
  onDamage: (damage: BundleError) => void
}

export async function openBundles({ objects, cache, onDamage }: BundleOptions): Promise<Bundles> {
  const local = await openBundleCache(cache)
  return {
    async get(sha256) {
      await local.hold(sha256)
      try {
        const found = await fetchSound(sha256, { local, objects, onDamage })
        return { ...found, [Symbol.asyncDispose]: () => local.release(sha256) }
      } catch (error) {
        await local.release(sha256)
        throw error
      }
    },
  }
}

/** Stores files where every worker finds them, the manifest last, so that all files exist when it does; returns the name of the bundle. */
export async function putBundle(objects: ObjectStore, content: BundleContent): Promise<string> {
  const bundle = await describeBundle(content)
  for (const [hash, file] of bundle.sources) await objects.put(hash, { file })
  await objects.put(bundle.sha256, { text: bundle.text })
  return bundle.sha256
}

interface Fetching {
  local: BundleCache
  objects: ObjectStore
  onDamage: (damage: BundleError) => void
}

/** Two tries: damage here or in transit is gone the second time; damage in the store is not. */
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
