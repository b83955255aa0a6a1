/** One cached run: kept from a committed run folder, and laid out again as one. What is not whole is no entry. */
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CacheEntry } from '../../schemas/cache.ts'
import { codeOf, messageOf } from '../base/error.ts'
import { hashFile, walk } from '../base/files.ts'
import { type Cache, entryPaths, moveIn, removeWhole, temporaryName } from './cache.ts'
import { pack, unpack } from './cache_pack.ts'
import type { OnDamage } from './damage.ts'
import { type LaidFiles, linkOrCopy } from './lay_run.ts'

/** Bytes up to which a file is packed; a larger one is linked, and its run's folder then shares it with the cache. */
const packedBytes = 128 * 1024

/** A run in memory. */
export interface CachedRun extends LaidFiles {
  entry: CacheEntry
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
    mkdirSync(temporary)
    const files: CacheEntry['files'] = []
    const small: Buffer[] = []
    for (const { path: name, source, bytes } of (await walk(folder, { links: 'never' })).files) {
      if (bytes <= packedBytes) {
        const data = readFileSync(source)
        const isExecutable = (statSync(source).mode & 0o100) !== 0
        files.push({ path: name, bytes: data.length, isPacked: true, ...(isExecutable && { isExecutable }) })
        small.push(data)
      } else {
        const to = path.join(temporary, 'files', name)
        mkdirSync(path.dirname(to), { recursive: true })
        linkOrCopy(source, to)
        files.push({ path: name, bytes, isPacked: false, sha256: await hashFile(to) })
      }
    }
    writeFileSync(path.join(temporary, 'entry'), pack({ ...entry, files }, small))
    moveIn(temporary, entryPaths(cache, entry.key).folder, { replace, aside: `${temporary}-old` })
  } catch (error) {
    removeWhole(temporary, `${temporary}-broken`)
    throw error
  }
}

/** The whole run with every byte checked; null where there is none, or a damaged one, which is told and removed. */
export async function readCachedRun(cache: Cache, key: string, onDamage: OnDamage): Promise<CachedRun | null> {
  const { folder, entry } = entryPaths(cache, key)
  try {
    return await steadyRun(cache, key)
  } catch (error) {
    if (!existsSync(entry)) return null // pruned by another process just now
    if (!says.has(codeOf(error))) throw error
    onDamage({ file: folder, message: messageOf(error) })
    removeWhole(folder, await temporaryName(cache))
    return null
  }
}

/** Looks at one entry. */
const looks = 5

/** Other processes may replace it between two looks at its parts, and again: what is broken stays so. */
async function steadyRun(cache: Cache, key: string): Promise<CachedRun | null> {
  for (let look = 1; ; look += 1) {
    try {
      return await runOf(cache, key)
    } catch (error) {
      if (look === looks) throw error
    }
  }
}

/** Says that the entry was used just now: what is used longest ago is pruned first. */
export function touchEntry(cache: Cache, key: string, now: Date): void {
  utimesSync(entryPaths(cache, key).entry, now, now)
}

async function runOf(cache: Cache, key: string): Promise<CachedRun | null> {
  const { entry: file, files: folder } = entryPaths(cache, key)
  const bytes = bytesIf(file)
  if (bytes === null) return null
  const { entry, small } = unpack(bytes, file)
  if (entry.key !== key) throw new Error(`${file}: it is the entry of another run`)
  const large: { path: string; source: string }[] = []
  for (const { path: name, isPacked, sha256: kept } of entry.files) {
    if (isPacked) continue
    const source = path.join(folder, name)
    if ((await hashFile(source)) !== kept) throw new Error(`${source}: its content is not what was kept`)
    large.push({ path: name, source })
  }
  const executable = entry.files.flatMap((one) => (one.isExecutable ? [one.path] : []))
  return { entry, small, executable, large }
}

/** No error of the system, or one that says that something is not there. */
const says: ReadonlySet<string | null> = new Set([null, 'ENOENT', 'ENOTDIR', 'EISDIR'])

function bytesIf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
