/** spent.jsonl, the amounts paid for a benchmark under a budget, and attempts.jsonl, those for attempts that do not count. */
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { appendFile, readFile, truncate } from 'node:fs/promises'
import path from 'node:path'
import { type AttemptLine, attemptLine } from '../../../schemas/attempts.ts'
import { type SpentLine, spentLine } from '../../../schemas/limits.ts'
import { answerError, isErrno } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { benchmarkPaths } from '../paths.ts'
import type { OnDamage } from './damage.ts'
import { assertNotLink, nextLine, readReadableLines } from './line_file.ts'

/** Appends the line in one write: a killed process leaves all or none of it; a failing machine or full disk may leave its beginning. */
export function noteSpent(folder: string, line: SpentLine): void {
  const file = ledgerFile(folder)
  const before = ledgerSize(file) ?? 0
  try {
    appendFileSync(file, `${jsonText(line)}\n`)
  } catch (error) {
    if (ledgerSize(file) !== undefined) truncateSync(file, before) // otherwise the next line would follow that beginning
    throw error
  }
}

const ledgerSize = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

/** Its path. Throws UserError when it is a link. */
function ledgerFile(folder: string): string {
  const file = benchmarkPaths(folder).spent
  assertNotLink(file)
  return file
}

/** All lines but a cut-off last one; empty without any. Throws UserError for other unreadable lines, whose amount would be lost. */
export async function readSpent(folder: string): Promise<SpentLine[]> {
  const file = ledgerFile(folder)
  const lines = (await readLedgerBytes(file)).toString('utf8').split('\n')
  const isCut = isTorn(lines.at(-1) ?? '', file)
  return (isCut ? lines.slice(0, -1) : lines).flatMap((line, at) =>
    line === '' ? [] : checkAs(spentLine, parseJson(line, file, at + 1), `${file}:${at + 1}`),
  )
}

/** Removes and reports a cut-off last line before the next one. Only for the benchmark's holder. Throws as readSpent, changing nothing. */
export async function repairSpent(folder: string, onDamage: OnDamage): Promise<void> {
  const file = ledgerFile(folder)
  await readSpent(folder) // all earlier lines are valid: this is the ledger
  const bytes = await readLedgerBytes(file)
  const end = bytes.lastIndexOf('\n') + 1
  const last = bytes.subarray(end).toString('utf8')
  if (last === '') return
  if (!isTorn(last, file)) return await appendFile(file, '\n')
  const number = bytes.subarray(0, end).toString('utf8').split('\n').length
  onDamage({ file, message: `${file}:${number}: the last line is cut off` })
  await truncate(file, end)
}

/** Whether the text after the last line end is cut off: each line is an object, and the beginning of one is not valid JSON. */
function isTorn(last: string, file: string): boolean {
  if (last === '') return false
  try {
    parseJson(last, file)
    return false
  } catch (error) {
    if (error instanceof UserError) return true
    throw error
  }
}

async function readLedgerBytes(file: string): Promise<Buffer> {
  return await readFile(file).catch(answerError(Buffer.alloc(0), isErrno('ENOENT')))
}

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
