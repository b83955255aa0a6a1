/** Bundles on a worker's own disk: complete or absent, verified on every use; the least recently used are removed when space is short. */
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { answerError, attempt, isErrno } from '../../../base/errors/attempt.ts'
import { hashFile, type WalkedFile, walk } from '../../../base/fs/files.ts'
import { isAlive, readOwnStart } from '../../../base/process/marked_processes.ts'
import { type BundleDamage, BundleError, type Manifest, type ObjectStore, parseManifest } from './manifest.ts'

export interface CachedBundle {
  folder: string
  files: readonly WalkedFile[]
}

export interface BundleCache {
  /** Protects a bundle from pruning by this or another process, until the same number of releases. */
  hold(sha256: string): Promise<void>
  release(sha256: string): Promise<void>
  /** The bundle, verified; null: not in the cache. Throws BundleError when it is damaged. */
  find(sha256: string): Promise<CachedBundle | null>
  /** Fetches and stores a bundle; prunes others. Throws BundleError. */
  fetch(sha256: string, objects: ObjectStore): Promise<CachedBundle>
  drop(sha256: string): Promise<void>
}

/** Several processes may share the folder. `maxBytes` bounds unused bundles. Cleans up after processes that are gone. */
export async function openBundleCache(options: { folder: string; maxBytes: number }): Promise<BundleCache> {
  const { folder } = options
  const places = {
    entries: path.join(folder, 'entries'),
    held: path.join(folder, 'held'),
    temporary: path.join(folder, 'tmp'),
  }
  for (const made of Object.values(places)) await mkdir(made, { recursive: true })
  const owner = `${process.pid}.${(await readOwnStart()) ?? ''}`
  await clearStaleFiles(places.temporary)
  await clearStaleFiles(places.held)
  const entry = (sha256: string) => path.join(places.entries, sha256)
  const uses = new Map<string, number>()
  const fetching = new Map<string, Promise<void>>()
  const find = async (sha256: string) => {
    const at = entry(sha256)
    return existsSync(at) ? await checkEntry(sha256, at) : null
  }
  const temporary = () => path.join(places.temporary, `${randomUUID()}-${owner}`)
  const bring = async (sha256: string, objects: ObjectStore) => {
    const into = temporary()
    try {
      await fetchBundle(into, sha256, objects)
      await rename(into, entry(sha256)).catch(ignoreExisting)
    } finally {
      await removeReadOnly(into)
    }
    await pruneEntries({ ...places, maxBytes: options.maxBytes, aside: temporary })
  }
  return {
    async hold(sha256) {
      const count = uses.get(sha256) ?? 0
      uses.set(sha256, count + 1)
      if (count === 0) writeFileSync(path.join(places.held, `${sha256}-${owner}`), '')
      if (existsSync(entry(sha256))) utimesSync(entry(sha256), new Date(), new Date())
    },
    async release(sha256) {
      const count = (uses.get(sha256) ?? 1) - 1
      if (count > 0) return void uses.set(sha256, count)
      uses.delete(sha256)
      rmSync(path.join(places.held, `${sha256}-${owner}`), { force: true })
    },
    find,
    async fetch(sha256, objects) {
      const running = fetching.get(sha256) ?? bring(sha256, objects).finally(() => fetching.delete(sha256))
      fetching.set(sha256, running)
      await running
      const found = await find(sha256)
      if (found === null) throw new Error(`bundle ${sha256}: removed right after it was fetched`)
      return found
    },
    async drop(sha256) {
      const aside = temporary()
      await rename(entry(sha256), aside).catch(ignoreMissing)
      await removeReadOnly(aside)
    },
  }
}

/** Verifies every file by its hash, and that there are no others, because an input folder is copied with all its content. */
async function checkEntry(sha256: string, entry: string): Promise<CachedBundle> {
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

/** Removes files named `…-<pid>.<start>` of processes that are gone. */
async function clearStaleFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid, start = ''] = /-(\d+)\.(\d*)$/.exec(name) ?? []
    if (pid === undefined || !(await isAlive(Number(pid), start === '' ? null : start))) {
      await removeReadOnly(path.join(folder, name))
    }
  }
}

const ignoreMissing = answerError(undefined, isErrno('ENOENT'))

/** Another process was first, with the same content. */
const ignoreExisting = answerError(undefined, isErrno('ENOTEMPTY', 'EEXIST'))

interface PruneBundlesRequest {
  /** Folder of the bundles, each a folder named by its hash. */
  entries: string
  /** Folder of the marks of bundles in use, named `<sha256>-<process>`. */
  held: string
  maxBytes: number
  /** Returns a free name to move a bundle to. */
  aside: () => string
}

/** Removes the least recently used bundles, and none in use, until the rest fits. A mark set during the removal comes too late: that user fetches the bundle again. */
async function pruneEntries({ entries, held, maxBytes, aside }: PruneBundlesRequest): Promise<void> {
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
  const files = attempt(() => readEntryManifest(entry, name)?.files, undefined) ?? []
  return { name, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), usedAt }
}

/** Makes folders writable first: otherwise only root can remove their content. */
async function removeReadOnly(place: string): Promise<void> {
  if (!existsSync(place)) return
  if (lstatSync(place).isDirectory()) await makeWritable(place)
  await rm(place, { recursive: true, force: true })
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name))
  }
}

/** Fills `into/manifest.json` and `into/files`, and makes the folders read-only. Throws BundleError. */
async function fetchBundle(into: string, sha256: string, objects: ObjectStore): Promise<void> {
  const folder = path.join(into, 'files')
  await mkdir(folder, { recursive: true })
  const manifest = await fetchManifest(into, sha256, objects)
  const folders = new Set([folder])
  const makeFolder = async (made: string) => {
    for (let one = made; one.startsWith(`${folder}/`); one = path.dirname(one)) folders.add(one)
    await mkdir(made, { recursive: true })
  }
  for (const one of manifest.folders) await makeFolder(path.join(folder, one))
  for (const file of manifest.files) {
    const target = path.join(folder, file.path)
    await makeFolder(path.dirname(target))
    const unfit = { bundle: sha256, at: file.path, place: objects.placeOf(file.sha256) }
    await fetchChecked({ objects, sha256: file.sha256, to: target, unfit })
    // as in a checkout: copies of a run have the same permissions as on the machine where it was planned
    await chmod(target, file.executable ? 0o755 : 0o644)
  }
  // innermost first: a read-only folder takes no new entry
  for (const one of [...folders].sort((a, b) => b.length - a.length)) await chmod(one, 0o555)
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
