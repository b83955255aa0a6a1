/** Gradings and judges' answers in the cache, each under the hash of all its inputs. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type CachedAnswer, type CachedGrading, cachedAnswer, cachedGrading } from '../../../schemas/cache.ts'
import { errnoCode } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { type OnDamage, tryReadArtefact } from '../artefacts/damage.ts'
import { type Cache, entryPaths, temporaryName } from './cache.ts'

/** The grading of a cached run; null: none. */
export function readCachedGrading(cache: Cache, of: GradingPlace, onDamage: OnDamage): CachedGrading | null {
  return tryReadArtefact(cachedGrading, gradingFile(cache, of), onDamage)
}

export interface GradingPlace {
  /** The run's key. */
  run: string
  /** Hash of the criteria and of the judges. */
  criteria: string
}

/** Adds a grading to the entry of its run; does nothing when the entry is gone. */
export async function keepGrading(cache: Cache, of: GradingPlace, value: CachedGrading): Promise<void> {
  const temporary = await temporaryName(cache)
  writeFileSync(temporary, jsonText(value))
  try {
    mkdirSync(entryPaths(cache, of.run).gradings)
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST' && errnoCode(error) !== 'ENOENT') throw error
  }
  try {
    renameSync(temporary, gradingFile(cache, of))
  } catch (error) {
    rmSync(temporary, { force: true })
    if (errnoCode(error) !== 'ENOENT') throw error
  }
}

/** A judge's answer; null: none. */
export function readAnswer(cache: Cache, key: string, onDamage: OnDamage): CachedAnswer | null {
  const file = answerFile(cache, key)
  const answer = tryReadArtefact(cachedAnswer, file, onDamage)
  if (answer !== null) utimesSync(file, new Date(), new Date()) // pruning removes the least recently used first
  return answer
}

export async function keepAnswer(cache: Cache, key: string, value: CachedAnswer): Promise<void> {
  const temporary = await temporaryName(cache)
  writeFileSync(temporary, jsonText(value))
  renameSync(temporary, answerFile(cache, key))
}

function gradingFile(cache: Cache, { run, criteria }: GradingPlace): string {
  return path.join(entryPaths(cache, run).gradings, `${criteria}.json`)
}

function answerFile(cache: Cache, key: string): string {
  return path.join(cache.answers, `${key}.json`)
}
