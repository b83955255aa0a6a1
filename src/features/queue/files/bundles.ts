/** Inputs of runs by the hash of their content: stored once by the planner, fetched once by each worker and verified at each use. */
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { answerError, attempt, isErrno } from '../../../base/errors/attempt.ts'
import { hashFile, type WalkedFile, walk } from '../../../base/fs/files.ts'
import {
  type BundleContent,
  type BundleDamage,
  BundleError,
  describeBundle,
  type Manifest,
  type ObjectStore,
  parseManifest,
} from './manifest.ts'

/** A bundle on this machine. Its folder remains until it is disposed; do not change anything in it. */
export interface OpenBundle extends AsyncDisposable {
  folder: string
  files: readonly WalkedFile[]
}

export interface Bundles {
  /**
   * The bundle in a local folder; verifies the hash of each file on arrival and on every use. Fetches a damaged one again, once;
   * throws BundleError when that fails, and when a bundle of that name is missing.
   */
  get(sha256: string): Promise<OpenBundle>
}

export interface BundleOptions {
  objects: ObjectStore
  /** Local folder for fetched bundles, of this process alone. */
  folder: string
  /** Bounds the bundles that nobody uses: the least recently used go first. */
  maxBytes: number
  /** Called with damage that was repaired or is about to be thrown. */
  onDamage: (damage: BundleError) => void
}

interface KeptBundle {
  users: number
  bytes: number
  /** null: not fetched, or damaged. Each time in another folder, since an earlier one may still be in use. */
  entry: { folder: string; filled: Promise<void> } | null
}

export function openBundles({ objects, folder, maxBytes, onDamage }: BundleOptions): Bundles {
  /** The least recently used first. */
  const kept = new Map<string, KeptBundle>()
  let count = 0
  const fetch = (sha256: string) => {
    count += 1
    const entry = path.join(folder, `${sha256}.${count}`)
    return { folder: entry, filled: fetchBundle(entry, sha256, objects) }
  }
  const prune = async () => {
    let total = [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const [sha256, { users, bytes, entry }] of kept) {
      if (total <= maxBytes) return
      if (users > 0) continue
      kept.delete(sha256)
      if (entry !== null) await rm(entry.folder, { recursive: true, force: true })
      total -= bytes
    }
  }
  const use = async (sha256: string, one: KeptBundle) => {
    const entry = one.entry ?? fetch(sha256)
    one.entry = entry
    try {
      await entry.filled
      return await checkEntry(sha256, entry.folder)
    } catch (error) {
      if (one.entry === entry) one.entry = null
      if (error instanceof BundleError) onDamage(error)
      throw error
    }
  }
  return {
    async get(sha256) {
      const one = kept.get(sha256) ?? { users: 0, bytes: 0, entry: null }
      kept.delete(sha256)
      kept.set(sha256, one)
      one.users += 1
      const release = async () => {
        one.users -= 1
        await prune()
      }
      try {
        // a second try: damage here or in transit is gone then, damage in the store is not
        const found = await use(sha256, one).catch((error: unknown) => {
          if (error instanceof BundleError) return use(sha256, one)
          throw error
        })
        one.bytes = found.files.reduce((sum, { bytes }) => sum + bytes, 0)
        return { ...found, [Symbol.asyncDispose]: release }
      } catch (error) {
        one.users -= 1
        if (one.users === 0 && one.entry === null) kept.delete(sha256)
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

/** Verifies every file by its hash, and that there are no others, because an input folder is copied with all its content. */
async function checkEntry(sha256: string, entry: string): Promise<Omit<OpenBundle, keyof AsyncDisposable>> {
  const folder = path.join(entry, 'files')
  const unfit = (at: string | null, problem: BundleDamage['problem'], place: string) =>
    new BundleError({ bundle: sha256, at, problem, place })
  const manifest = readEntryManifest(entry, sha256)
  if (manifest === null) throw unfit(null, 'damaged', entry)
  const files: WalkedFile[] = []
  for (const file of manifest.files) {
    const source = path.join(folder, file.path)
    const found = await hashFile(source).catch(ignoreMissing)
    if (found === undefined) throw unfit(file.path, 'missing', source)
    const isExecutable = (statSync(source).mode & 0o100) !== 0
    if (found !== file.sha256 || isExecutable !== file.executable) throw unfit(file.path, 'damaged', source)
    files.push({ path: file.path, source, bytes: file.bytes })
  }
  const there = await walk(folder, { links: 'never' })
  const known = new Set(files.map((file) => file.path))
  const strange = [...there.files, ...there.leftOut].find((file) => !known.has(file.path))
  if (strange !== undefined) throw unfit(strange.path, 'damaged', path.join(folder, strange.path))
  return { folder, files }
}

function readEntryManifest(entry: string, sha256: string): Manifest | null {
  const file = path.join(entry, 'manifest.json')
  return attempt(() => parseManifest(sha256, readFileSync(file, 'utf8')), null, isErrno('ENOENT'))
}

const ignoreMissing = answerError(undefined, isErrno('ENOENT'))

/** Fills `into/manifest.json` and `into/files`, or leaves nothing. Throws BundleError. */
async function fetchBundle(into: string, sha256: string, objects: ObjectStore): Promise<void> {
  try {
    await fillBundle(into, sha256, objects)
  } catch (error) {
    await rm(into, { recursive: true, force: true })
    throw error
  }
}

async function fillBundle(into: string, sha256: string, objects: ObjectStore): Promise<void> {
  const folder = path.join(into, 'files')
  await mkdir(folder, { recursive: true })
  const manifest = await fetchManifest(into, sha256, objects)
  for (const one of manifest.folders) await mkdir(path.join(folder, one), { recursive: true })
  for (const file of manifest.files) {
    const target = path.join(folder, file.path)
    await mkdir(path.dirname(target), { recursive: true })
    const unfit = { bundle: sha256, at: file.path, place: objects.placeOf(file.sha256) }
    await fetchChecked({ objects, sha256: file.sha256, to: target, unfit })
    // as in a checkout: copies of a run have the same permissions as on the machine where it was planned
    await chmod(target, file.executable ? 0o755 : 0o644)
  }
}

async function fetchManifest(into: string, sha256: string, objects: ObjectStore): Promise<Manifest> {
  const file = path.join(into, 'manifest.json')
  const unfit = { bundle: sha256, at: null, place: objects.placeOf(sha256) }
  await fetchChecked({ objects, sha256, to: file, unfit })
  const manifest = parseManifest(sha256, await readFile(file, 'utf8'))
  if (manifest === null) throw new BundleError({ ...unfit, problem: 'damaged' })
  return manifest
}

interface CheckedFetch {
  objects: ObjectStore
  sha256: string
  to: string
  unfit: { bundle: string; at: string | null; place: string }
}

async function fetchChecked({ objects, sha256, to, unfit }: CheckedFetch): Promise<void> {
  if (!(await objects.get(sha256, to))) throw new BundleError({ ...unfit, problem: 'missing' })
  if ((await hashFile(to)) !== sha256) throw new BundleError({ ...unfit, problem: 'damaged' })
}
