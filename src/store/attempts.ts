/** attempts.jsonl: attempts at runs that were paid for and do not count, each noted once. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type AttemptLine, attemptLine } from '../../schemas/attempts.ts'
import { checkAs, parseJson } from '../base/json.ts'

function fileOf(folder: string): string {
  return path.join(folder, 'attempts.jsonl')
}

/** One line, in one write: a process killed meanwhile leaves it whole or not at all. */
export function noteAttempt(folder: string, line: AttemptLine): void {
  appendFileSync(fileOf(folder), `${JSON.stringify(line)}\n`)
}

/** Each attempt once, however often it was noted. Throws UserError for a line that can't be read. */
export function readAttempts(folder: string): AttemptLine[] {
  const file = fileOf(folder)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const read = lines.map((line, at) => checkAs(attemptLine, parseJson(line, file, at + 1), `${file}:${at + 1}`))
  return [...new Map(read.map((one) => [`${one.job} ${one.attempt} ${one.started_at}`, one])).values()]
}
