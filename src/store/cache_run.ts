/** One cached run: kept from a committed run folder, and laid out again as one. What is not whole is no entry. */
import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { type CacheEntry, cacheEntry } from '../../schemas/cache.ts'
import { codeOf, messageOf } from '../base/error.ts'
import { hashFile, walk } from '../base/files.ts'
import { checkAs, parseJson, sha256 } from '../base/json.ts'
import { type Cache, entryPaths, moveIn, removeWhole, temporaryName } from './cache.ts'
import type { OnDamage } from './damage.ts'

/** Bytes up to which a file is copied; a larger one is linked, and its folder then shares it with the cache. */
const copiedBytes = 128 * 1024

/** A run in memory: small files as they are, large ones where they lie. */
export interface CachedRun {
  entry: CacheEntry
  /** By path relative to the run's folder. */
  small: ReadonlyMap<string, Buffer>
  large: readonly { path: string; source: string }[]
}

export interface KeepRequest {
  entry: Omit<CacheEntry, 'files'>
  /** The committed run folder. */
  folder: string
  /** Whether an entry under this key gives way. */
  replace: boolean
}

/** Adds a run. Throws what the file system throws; the cache is then as it was. */
export async function keepRun(cache: Cache, { entry, folder, replace }: KeepRequest): Promise<void> {
  const temporary = await temporaryName(cache)
  try {
    const files: CacheEntry['files'] = []
    for (const { path: name, source, bytes } of (await walk(folder, { links: 'never' })).files) {
      const to = path.join(temporary, 'files', name)
      mkdirSync(path.dirname(to), { recursive: true })
      if (bytes <= copiedBytes) {
        const data = readFileSync(source)
        writeFileSync(to, data, { mode: lstatSync(source).mode })
        files.push({ path: name, bytes: data.length, sha256: sha256(data) })
      } else {
        linkOrCopy(source, to)
        files.push({ path: name, bytes, sha256: await hashFile(to) })
      }
    }
    writeFileSync(path.join(temporary, 'entry.json'), `${JSON.stringify({ ...entry, files }, null, 1)}\n`)
    moveIn(temporary, entryPaths(cache, entry.key).folder, { replace, aside: `${temporary}-old` })
  } catch (error) {
    removeWhole(temporary, `${temporary}-broken`)
    throw error
  }
}

/** The whole run with every byte checked; null where there is none, or a damaged one, which is told and removed. */
export async function readCachedRun(cache: Cache, key: string, onDamage: OnDamage): Promise<CachedRun | null> {
  return await orRemove(cache, { key, onDamage }, async () => {
    const entry = entryOf(cache, key)
    return entry === null ? null : await filesOf(cache, entry)
  })
}

/** Lays the files in a new folder, `replaced` ones with another content. Throws what the file system throws. */
export function layRun(run: CachedRun, folder: string, replaced: ReadonlyMap<string, string>): void {
  const made = new Set<string>()
  const place = (name: string) => {
    const to = path.join(folder, name)
    const parent = path.dirname(to)
    if (!made.has(parent)) mkdirSync(parent, { recursive: true })
    made.add(parent)
    return to
  }
  place('outputs/.')
  for (const [name, data] of run.small) if (!replaced.has(name)) writeFileSync(place(name), data)
  for (const { path: name, source } of run.large) linkOrCopy(source, place(name))
  for (const [name, text] of replaced) writeFileSync(place(name), text)
}

/** Says that the entry was used just now: what is used longest ago is pruned first. */
export function touchEntry(cache: Cache, key: string, now: Date): void {
  utimesSync(entryPaths(cache, key).entry, now, now)
}

function entryOf(cache: Cache, key: string): CacheEntry | null {
  const file = entryPaths(cache, key).entry
  const text = textIf(file)
  if (text === null) return null
  const entry = checkAs(cacheEntry, parseJson(text, file), file)
  if (entry.key !== key) throw new Error(`${file}: it is the entry of another run`)
  return entry
}

async function filesOf(cache: Cache, entry: CacheEntry): Promise<CachedRun> {
  const { files: folder } = entryPaths(cache, entry.key)
  const small = new Map<string, Buffer>()
  const large: { path: string; source: string }[] = []
  for (const file of entry.files) {
    const source = path.join(folder, file.path)
    const data = file.bytes <= copiedBytes ? readFileSync(source) : null
    const found = data === null ? await hashFile(source) : sha256(data)
    if (found !== file.sha256) throw new Error(`${source}: its content is not what was kept`)
    if (data === null) large.push({ path: file.path, source })
    else small.set(file.path, data)
  }
  return { entry, small, large }
}

async function orRemove<T>(
  cache: Cache,
  { key, onDamage }: { key: string; onDamage: OnDamage },
  read: () => T | null | Promise<T | null>,
): Promise<T | null> {
  const { folder, entry } = entryPaths(cache, key)
  try {
    return await read()
  } catch (error) {
    if (textIf(entry) === null) return null // pruned by another process just now
    if (!says.has(codeOf(error))) throw error
    onDamage({ file: folder, message: messageOf(error) })
    removeWhole(folder, await temporaryName(cache))
    return null
  }
}

/** No error of the system, or one that says that something is not there. */
const says: ReadonlySet<string | null> = new Set([null, 'ENOENT', 'ENOTDIR', 'EISDIR'])

function textIf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** A link where the file system has them, else a copy (shared where it can be). */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}
