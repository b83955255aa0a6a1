/** spent.jsonl: what was paid for a benchmark under a budget, also for runs that were made again since. */
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { type SpentLine, spentLine } from '../../schemas/limits.ts'
import { codeOf, UserError } from '../base/error.ts'
import { checkAs, parseJson } from '../base/json.ts'
import type { OnDamage } from './damage.ts'
import { refuseLink } from './line_file.ts'
import { benchmarkPaths } from './paths.ts'

/** One line, in one write: a process killed meanwhile leaves it whole or not at all; a machine that fails, or a full disk, may leave the beginning. */
export function noteSpent(folder: string, line: SpentLine): void {
  const file = ledgerOf(folder)
  const before = sizeOf(file) ?? 0
  try {
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  } catch (error) {
    if (sizeOf(file) !== undefined) truncateSync(file, before) // what is noted next would stand behind a beginning
    throw error
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

/** Its place. Throws UserError where it is a link. */
function ledgerOf(folder: string): string {
  const file = benchmarkPaths(folder).spent
  refuseLink(file)
  return file
}

/** All lines, without a last one that was cut off; none where nothing was noted. Throws UserError for any other that can't be read: what it held would be lost. */
export async function readSpent(folder: string): Promise<SpentLine[]> {
  const file = ledgerOf(folder)
  const lines = (await bytesOf(file)).toString('utf8').split('\n')
  const isCut = isTorn(lines.at(-1) ?? '', file)
  return (isCut ? lines.slice(0, -1) : lines).flatMap((line, at) =>
    line === '' ? [] : checkAs(spentLine, parseJson(line, file, at + 1), `${file}:${at + 1}`),
  )
}

/** Takes away a last line that was cut off, which is told, so that what is noted next begins a line of its own. Only for who holds the benchmark. Throws as readSpent does, before anything is changed. */
export async function mendSpent(folder: string, onDamage: OnDamage): Promise<void> {
  const file = ledgerOf(folder)
  await readSpent(folder) // all before it is what it should be: this is the ledger
  const bytes = await bytesOf(file)
  const end = bytes.lastIndexOf('\n') + 1
  const last = bytes.subarray(end).toString('utf8')
  if (last === '') return
  if (!isTorn(last, file)) return await appendFile(file, '\n')
  const number = bytes.subarray(0, end).toString('utf8').split('\n').length
  onDamage({ file, message: `${file}:${number}: the last line is cut off` })
  await truncate(file, end)
}

/** Of what follows the last line end: each line is an object, whose beginning is no JSON. */
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

async function bytesOf(file: string): Promise<Buffer> {
  return await readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
}
