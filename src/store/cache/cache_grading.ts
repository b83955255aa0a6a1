/** Gradings and judges' answers in the cache, each signed and under the hash of all its inputs. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { type CachedAnswer, type CachedGrading, cachedAnswer, cachedGrading } from '../../../schemas/cache.ts'
import { attempt, isErrno } from '../../base/errors/attempt.ts'
import { errnoCode, errorMessage } from '../../base/errors/error.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { OnDamage } from '../artefacts/damage.ts'
import type { ResultSigner } from '../signing/signer.ts'
import {
  type Cache,
  type EntryName,
  entryPaths,
  ForeignEntryError,
  openEntry,
  type SignedCache,
  sealEntry,
  temporaryName,
} from './cache.ts'

export function readCachedGrading(cache: SignedCache, of: GradingPlace, onDamage: OnDamage): CachedGrading | null {
  return readValue(cachedGrading, { ...describeGrading(cache, of), signer: cache.signer }, onDamage)
}

export interface GradingPlace {
  run: string
  /** Hash of the criteria and of the judges. */
  criteria: string
}

/** Adds a grading to the entry of its run; does nothing when the entry is gone. */
export async function keepGrading(cache: SignedCache, of: GradingPlace, value: CachedGrading): Promise<void> {
  const temporary = await temporaryName(cache)
  const { name, file } = describeGrading(cache, of)
  writeFileSync(temporary, sealValue(name, value, cache.signer))
  attempt(() => mkdirSync(path.dirname(file)), null, isErrno('EEXIST', 'ENOENT'))
  try {
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    if (errnoCode(error) !== 'ENOENT') throw error
  }
}

export function readAnswer(cache: SignedCache, key: string, onDamage: OnDamage): CachedAnswer | null {
  const file = answerFile(cache, key)
  const answer = readValue(cachedAnswer, { name: { kind: 'answer', key }, file, signer: cache.signer }, onDamage)
  if (answer !== null) utimesSync(file, new Date(), new Date()) // pruning removes the least recently used first
  return answer
}

export async function keepAnswer(cache: SignedCache, key: string, value: CachedAnswer): Promise<void> {
  const temporary = await temporaryName(cache)
  writeFileSync(temporary, sealValue({ kind: 'answer', key }, value, cache.signer))
  renameSync(temporary, answerFile(cache, key))
}

function describeGrading(cache: Cache, { run, criteria }: GradingPlace) {
  const name: EntryName = { kind: 'grading', key: `${run} ${criteria}` }
  return { name, file: path.join(entryPaths(cache, run).gradings, criteria) }
}

function answerFile(cache: Cache, key: string): string {
  return path.join(cache.answers, key)
}

export function sealValue(name: EntryName, value: unknown, signer: ResultSigner): Buffer {
  return sealEntry(name, Buffer.from(jsonText(value)), signer)
}

/** null: missing, or reported: damaged, or somebody else's. */
export function readValue<S extends z.ZodType>(
  schema: S,
  { name, file, signer }: { name: EntryName; file: string; signer: ResultSigner },
  onDamage: OnDamage,
): z.infer<S> | null {
  try {
    const body = openEntry(name, file, { bytes: readRegularFile(file), signer })
    return checkAs(schema, parseJson(body.toString('utf8'), file), file)
  } catch (error) {
    if (errnoCode(error) === 'ENOENT' || errnoCode(error) === 'ENOTDIR') return null
    onDamage({ file, message: errorMessage(error), ...(error instanceof ForeignEntryError && { foreign: true }) })
    return null
  }
}
