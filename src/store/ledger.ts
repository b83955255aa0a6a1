/** spent.jsonl: what was paid for a benchmark under a budget, also for runs that were made again since. */
import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type SpentLine, spentLine } from '../../schemas/limits.ts'
import { codeOf } from '../base/error.ts'
import { checkAs, parseJson } from '../base/json.ts'
import { benchmarkPaths } from './paths.ts'

/** One line, in one write: a process killed meanwhile leaves it whole or not at all. */
export function noteSpent(folder: string, line: SpentLine): void {
  appendFileSync(benchmarkPaths(folder).spent, `${JSON.stringify(line)}\n`)
}

/** All lines; none where nothing was noted. Throws UserError for one that can't be read: what it held would be lost. */
export async function readSpent(folder: string): Promise<SpentLine[]> {
  const file = benchmarkPaths(folder).spent
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, at) => checkAs(spentLine, parseJson(line, file), `${file}:${at + 1}`))
}
