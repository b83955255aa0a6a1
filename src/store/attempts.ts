/** attempts.jsonl: attempts at runs that were paid for and do not count, each noted once. */
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { type AttemptLine, attemptLine } from '../../schemas/attempts.ts'
import type { OnDamage } from './damage.ts'
import { nextLine, readableLines } from './line_file.ts'

function fileOf(folder: string): string {
  return path.join(folder, 'attempts.jsonl')
}

/** One line, in one write: a process killed meanwhile leaves it whole or not at all; a machine that fails, or a full disk, may leave the beginning. */
export function noteAttempt(folder: string, line: AttemptLine): void {
  appendFileSync(fileOf(folder), nextLine(fileOf(folder), line))
}

/** Each attempt once, however often it was noted. A line that can't be read is told and passed over. */
export function readAttempts(folder: string, onDamage: OnDamage): AttemptLine[] {
  const read = readableLines(attemptLine, fileOf(folder), onDamage)
  return [...new Map(read.map((one) => [`${one.job} ${one.attempt} ${one.started_at}`, one])).values()]
}
