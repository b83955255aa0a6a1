/** Which benchmark this is, for everyone who comes back to it: kept in its folder. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writeAtomic } from '../../base/durable.ts'

/** `isResumed`: another coordinator has worked on it before. */
export async function queueIdOf(folder: string): Promise<{ benchmark: string; isResumed: boolean }> {
  const file = path.join(folder, '.queue')
  const isResumed = existsSync(file)
  if (!isResumed) await writeAtomic(file, randomBytes(8).toString('hex'))
  return { benchmark: readFileSync(file, 'utf8').trim(), isResumed }
}
