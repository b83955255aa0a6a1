/** Gradings and judges' answers in the cache, each under the hash of all that shaped it. */
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type CachedAnswer, type CachedGrading, cachedAnswer, cachedGrading } from '../../schemas/cache.ts'
import { codeOf } from '../base/error.ts'
import { type Cache, entryPaths, temporaryName } from './cache.ts'
import { type OnDamage, readIf } from './damage.ts'

/** The grading of a cached run; null where there is none. */
export function readCachedGrading(cache: Cache, of: GradingPlace, onDamage: OnDamage): CachedGrading | null {
  return readIf(cachedGrading, gradingFile(cache, of), onDamage)
}

export interface GradingPlace {
  /** The run's key. */
  run: string
  /** Hash of the criteria and of who decides them. */
  criteria: string
}

/** Adds a grading to the entry of its run; where that is gone by now, nothing is kept. */
export async function keepGrading(cache: Cache, of: GradingPlace, value: CachedGrading): Promise<void> {
  const temporary = await temporaryName(cache)
  writeFileSync(temporary, JSON.stringify(value))
  try {
    mkdirSync(entryPaths(cache, of.run).gradings)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') throw error
  }
  try {
    renameSync(temporary, gradingFile(cache, of))
  } catch (error) {
    rmSync(temporary, { force: true })
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** A judge's answer; null where there is none. */
export function readAnswer(cache: Cache, key: string, onDamage: OnDamage): CachedAnswer | null {
  const file = answerFile(cache, key)
  const answer = readIf(cachedAnswer, file, onDamage)
  if (answer !== null) utimesSync(file, new Date(), new Date()) // what is used longest ago is pruned first
  return answer
}

export async function keepAnswer(cache: Cache, key: string, value: CachedAnswer): Promise<void> {
  const temporary = await temporaryName(cache)
  writeFileSync(temporary, JSON.stringify(value))
  renameSync(temporary, answerFile(cache, key))
}

function gradingFile(cache: Cache, { run, criteria }: GradingPlace): string {
  return path.join(entryPaths(cache, run).gradings, `${criteria}.json`)
}

function answerFile(cache: Cache, key: string): string {
  return path.join(cache.answers, `${key}.json`)
}
