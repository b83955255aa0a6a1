/** Stores a benchmark's queue id in its folder, so that every coordinator uses the same. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writeAtomic } from '../../../base/fs/durable_files.ts'

/** `isResumed`: another coordinator has worked on it before. */
export async function ensureQueueId(folder: string): Promise<{ benchmark: string; isResumed: boolean }> {
  const file = path.join(folder, '.queue')
  const isResumed = existsSync(file)
  if (!isResumed) await writeAtomic(file, randomBytes(8).toString('hex'))
  return { benchmark: readFileSync(file, 'utf8').trim(), isResumed }
}
