/** Stores a committed run folder in the cache, as one piece too, and brings it back into a benchmark by one rename. An incomplete entry does not count. */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { CacheEntry } from '../../../schemas/cache.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { attempt, isErrno } from '../../base/errors/attempt.ts'
import { errnoCode, errorMessage } from '../../base/errors/error.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import type { OnDamage } from '../artefacts/damage.ts'
import { moveRun } from '../store.ts'
import {
  type Cache,
  entryPaths,
  ForeignEntryError,
  maxSharedBytes,
  moveIntoPlace,
  openEntry,
  removeWhole,
  type SignedCache,
  sealEntry,
  temporaryName,
} from './cache.ts'
import { packEntry, unpackEntry } from './cache_pack.ts'

/** Maximum bytes of a packed file; a larger one is linked, so the run's folder shares it with the cache. */
const packedBytes = 128 * 1024

export interface CachedRun extends CachedRunFiles {
  entry: CacheEntry
}

export interface KeepRequest {
  entry: Omit<CacheEntry, 'files'>
  folder: string
  /** Whether to replace an existing entry of this key. */
  replace: boolean
}

/** Adds a run. Throws what the file system throws, and leaves the cache unchanged. */
export async function keepRun(cache: SignedCache, { entry, folder, replace }: KeepRequest): Promise<void> {
  const temporary = await temporaryName(cache)
  try {
    mkdirSync(temporary)
    const files: CacheEntry['files'] = []
    const small: Buffer[] = []
    for (const { path: name, source, bytes } of (await walk(folder, { links: 'never' })).files) {
      if (bytes <= packedBytes || name === 'run.json') {
        const data = readFileSync(source)
        const isExecutable = (statSync(source).mode & 0o100) !== 0
        files.push({ path: name, bytes: data.length, isPacked: true, ...(isExecutable && { isExecutable }) })
        small.push(data)
      } else {
        const to = path.join(temporary, 'files', name)
        mkdirSync(path.dirname(to), { recursive: true })
        linkOrCopySync(source, to)
        files.push({ path: name, bytes, isPacked: false, sha256: await hashFile(to) })
      }
    }
    const name = { kind: 'run', key: entry.key } as const
    writeFileSync(path.join(temporary, 'entry'), sealEntry(name, packEntry({ ...entry, files }, small), cache.signer))
    moveIntoPlace(temporary, entryPaths(cache, entry.key).folder, { replace, aside: `${temporary}-old` })
  } catch (error) {
    removeWhole(temporary, `${temporary}-broken`)
    throw error
  }
}

/** The complete run, with every byte verified; null: none, or reported: somebody else's, or damaged and removed. */
export async function readCachedRun(cache: SignedCache, key: string, onDamage: OnDamage): Promise<CachedRun | null> {
  const { folder, entry } = entryPaths(cache, key)
  try {
    return await readSteadyRun(cache, key)
  } catch (error) {
    if (error instanceof ForeignEntryError) {
      onDamage({ file: folder, message: error.message, foreign: true })
      return null
    }
    if (!existsSync(entry)) return null // another process has just pruned it
    if (!absenceCodes.has(errnoCode(error))) throw error
    onDamage({ file: folder, message: errorMessage(error) })
    removeWhole(folder, await temporaryName(cache))
    return null
  }
}

const maxReadAttempts = 5

/** Tries again, because other processes may replace the entry between two reads; real damage persists. */
async function readSteadyRun(cache: SignedCache, key: string): Promise<CachedRun | null> {
  for (let look = 1; ; look += 1) {
    try {
      return await readRunEntry(cache, key)
    } catch (error) {
      if (look === maxReadAttempts || error instanceof ForeignEntryError) throw error
    }
  }
}

/** The description of a run that this user signed; null: none, or damaged. */
export function readOwnEntry(cache: SignedCache, key: string): CacheEntry | null {
  const { entry: file } = entryPaths(cache, key)
  try {
    const bytes = readRegularFile(file)
    return unpackEntry(openEntry({ kind: 'run', key }, file, { bytes, signer: cache.signer }), file).entry
  } catch {
    return null
  }
}

/** Marks the entry as just used: pruning removes the least recently used first. */
export function touchEntry(cache: Cache, key: string, now: Date): void {
  utimesSync(entryPaths(cache, key).entry, now, now)
}

async function readRunEntry(cache: SignedCache, key: string): Promise<CachedRun | null> {
  const { entry: file, files: folder } = entryPaths(cache, key)
  const bytes = tryReadBytes(file)
  if (bytes === null) return null
  const { entry, small } = unpackEntry(openEntry({ kind: 'run', key }, file, { bytes, signer: cache.signer }), file)
  const large: { path: string; source: string }[] = []
  for (const { path: name, isPacked, sha256: kept } of entry.files) {
    if (isPacked) continue
    const source = path.join(folder, name)
    if ((await hashFile(source)) !== kept) throw new Error(`${source}: its content has changed since it was cached`)
    large.push({ path: name, source })
  }
  const executable = entry.files.flatMap((one) => (one.isExecutable ? [one.path] : []))
  return { entry, small, executable, large }
}

/** Not a system error, or one that says that something is missing. */
const absenceCodes: ReadonlySet<string | null> = new Set([null, 'ENOENT', 'ENOTDIR', 'EISDIR'])

function tryReadBytes(file: string): Buffer | null {
  return attempt(() => readRegularFile(file), null, isErrno('ENOENT'))
}

/** `folder`: the committed run. null: too large to be shared. */
export async function packRun(entry: Omit<CacheEntry, 'files'>, folder: string): Promise<Buffer | null> {
  const found = (await walk(folder, { links: 'never' })).files
  if (found.reduce((sum, { bytes }) => sum + bytes, 0) > maxSharedBytes) return null
  const contents = found.map(({ source }) => readFileSync(source))
  const files = found.map(({ path: name, source }, at) => {
    const isExecutable = (statSync(source).mode & 0o100) !== 0
    return {
      path: name,
      bytes: contents[at]?.length ?? 0,
      isPacked: true,
      ...(isExecutable && ({ isExecutable } as const)),
    }
  })
  const packed = packEntry({ ...entry, files }, contents)
  return packed.length > maxSharedBytes ? null : packed
}

/**
 * Adds the run to the cache and marks it as shared. Each file is new and below a folder of its own, so nothing else can be
 * written. Throws an error that says what is wrong with the run, and what the file system throws.
 */
export async function keepPackedRun(cache: SignedCache, key: string, packed: Buffer): Promise<RunRecord> {
  const { entry, small } = unpackEntry(packed, key)
  const record = checkAs(runRecord, parseJson(String(small.get('run.json')), 'run.json'), 'run.json')
  if (entry.key !== key) throw new Error('the entry of another run')
  if (record.status !== 'completed') throw new Error('a run that did not complete')
  if (record.ended_at !== entry.from.at) throw new Error('two different times of the run')
  const { files, ...rest } = entry
  if (files.some(({ path: name, bytes }) => small.get(name)?.length !== bytes)) throw new Error('an incomplete entry')
  const folder = await temporaryName(cache)
  try {
    for (const { path: name, isExecutable } of files) {
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, small.get(name) ?? '', { flag: 'wx', mode: isExecutable ? 0o777 : 0o666 })
    }
    await keepRun(cache, { entry: { ...rest, from: { ...entry.from, shared: true } }, folder, replace: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return record
}

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
function linkOrCopySync(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}
