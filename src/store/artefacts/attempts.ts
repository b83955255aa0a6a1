/** attempts.jsonl: attempts at runs that were paid for and do not count, each noted once. */
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { type AttemptLine, attemptLine } from '../../../schemas/attempts.ts'
import type { OnDamage } from './damage.ts'
import { nextLine, readReadableLines } from './line_file.ts'

function attemptsFile(folder: string): string {
  return path.join(folder, 'attempts.jsonl')
}

/** Appends the line in one write: a killed process leaves all or none of it; a failing machine or full disk may leave its beginning. */
export function noteAttempt(folder: string, line: AttemptLine): void {
  appendFileSync(attemptsFile(folder), nextLine(attemptsFile(folder), line))
}

/** Each attempt once, however often it was noted. Reports and skips lines that can't be read. */
export function readAttempts(folder: string, onDamage: OnDamage): AttemptLine[] {
  const read = readReadableLines(attemptLine, attemptsFile(folder), onDamage)
  return [...new Map(read.map((one) => [`${one.job} ${one.attempt} ${one.started_at}`, one])).values()]
}
