/** A cached run as one piece, and back into the cache of a workspace. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CacheEntry } from '../../../schemas/cache.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { walk } from '../../base/fs/files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { type SignedCache, temporaryName } from './cache.ts'
import { packEntry, unpackEntry } from './cache_pack.ts'
import { keepRun } from './cache_run.ts'
import { maxSharedBytes } from './shared_entry.ts'

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
