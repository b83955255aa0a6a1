/** Bundles on a worker's own disk: whole or not there, checked on every use, the least recently used ones gone when space is short. */
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from '../../base/error.ts'
import { hashFile, type WalkedFile, walk } from '../../base/files.ts'
import { isAlive, ownStart } from '../../base/processes.ts'
import { BundleError, type Damage } from './damage.ts'
import { fetchInto } from './fetch.ts'
import { type Manifest, manifestOf } from './manifest.ts'
import type { Objects } from './objects.ts'
import { pruneEntries } from './prune.ts'
import { removeReadOnly } from './remove.ts'
import { Steady, withFolders } from './steady.ts'

export interface CachedBundle {
  folder: string
  files: readonly WalkedFile[]
}

export interface BundleCache {
  /** From now until as many releases a bundle is not pruned, by this process or another. */
  hold(sha256: string): Promise<void>
  release(sha256: string): Promise<void>
  /** The bundle, checked; null: not in the cache. Throws BundleError where it is damaged. */
  find(sha256: string): Promise<CachedBundle | null>
  /** Fetches and keeps it; prunes others. Throws BundleError. */
  fetch(sha256: string, objects: Objects): Promise<CachedBundle>
  drop(sha256: string): Promise<void>
}

/** Several processes may share the folder. `maxBytes` bounds what nobody uses. Clears what processes that are gone left behind. */
export async function openBundleCache(options: { folder: string; maxBytes: number }): Promise<BundleCache> {
  const { folder } = options
  const places = {
    entries: path.join(folder, 'entries'),
    held: path.join(folder, 'held'),
    temporary: path.join(folder, 'tmp'),
  }
  for (const made of Object.values(places)) await mkdir(made, { recursive: true })
  const owner = `${process.pid}.${(await ownStart()) ?? ''}`
  await clearOfGone(places.temporary)
  await clearOfGone(places.held)
  const entry = (sha256: string) => path.join(places.entries, sha256)
  const uses = new Map<string, number>()
  const fetching = new Map<string, Promise<void>>()
  const steady = new Steady<CachedBundle>()
  const find = async (sha256: string) => {
    const [at, known] = [entry(sha256), steady.known(sha256)]
    return known ?? (existsSync(at) ? await steady.look(sha256, () => checked(sha256, at)) : null)
  }
  const temporary = () => path.join(places.temporary, `${uniqueNumber()}-${owner}`)
  const bring = async (sha256: string, objects: Objects) => {
    const into = temporary()
    try {
      await fetchInto(into, sha256, objects)
      await rename(into, entry(sha256)).catch(unlessThere)
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
      if (found === null) throw new Error(`bundle ${sha256}: gone right after it was fetched`)
      return found
    },
    async drop(sha256) {
      const aside = temporary()
      await rename(entry(sha256), aside).catch(unlessGone)
      await removeReadOnly(aside)
    },
  }
}

/** Every file by its hash, and no other file than those: an input folder is copied with all that lies in it. */
async function checked(sha256: string, entry: string): Promise<{ found: CachedBundle; paths: string[] }> {
  const folder = path.join(entry, 'files')
  const unfit = (at: string | null, problem: Damage['problem'], place: string) =>
    new BundleError({ bundle: sha256, at, problem, place })
  const manifest = manifestIn(entry, sha256)
  if (manifest === null) throw unfit(null, 'damaged', entry)
  const files: WalkedFile[] = []
  for (const file of manifest.files) {
    const source = path.join(folder, file.path)
    const found = await hashFile(source).catch(unlessGone)
    if (found === undefined) throw unfit(file.path, 'missing', source)
    const isExecutable = (statSync(source).mode & 0o100) !== 0
    if (found !== file.sha256 || isExecutable !== file.executable) throw unfit(file.path, 'damaged', source)
    files.push({ path: file.path, source, bytes: file.bytes })
  }
  const there = await walk(folder, { links: 'never' })
  const known = new Set(files.map((file) => file.path))
  const strange = [...there.files, ...there.leftOut].find((file) => !known.has(file.path))
  if (strange !== undefined) throw unfit(strange.path, 'damaged', path.join(folder, strange.path))
  const inside = withFolders(folder, [...known, ...manifest.folders])
  return { found: { folder, files }, paths: [manifestFile(entry), ...inside] }
}

function manifestFile(entry: string): string {
  return path.join(entry, 'manifest.json')
}

function manifestIn(entry: string, sha256: string): Manifest | null {
  try {
    return manifestOf(sha256, readFileSync(manifestFile(entry), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Files named `…-<pid>.<start>` of processes that are gone. */
async function clearOfGone(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid, start = ''] = /-(\d+)\.(\d*)$/.exec(name) ?? []
    if (pid === undefined || !(await isAlive(Number(pid), start === '' ? null : start))) {
      await removeReadOnly(path.join(folder, name))
    }
  }
}

function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Another process was first: it brought the same. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
}

let unique = 0
function uniqueNumber(): number {
  unique += 1
  return unique
}
