/** Reads and writes the comparisons of a case: comparison-N.json, or comparison_error-N.json where there is no verdict. */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Comparison, type ComparisonError, comparison, comparisonError } from '../../schemas/comparison.ts'
import { type OnDamage, readIf } from './damage.ts'
import { comparisonPaths } from './paths.ts'
import { writeArtefact } from './store.ts'

/** Comparisons of a case in the order of their numbers; those without a verdict apart. What can't be read counts as absent, and is told. */
export interface StoredComparisons {
  judged: { number: number; comparison: Comparison }[]
  failed: { number: number; error: ComparisonError }[]
}

export function readComparisons(caseFolder: string, onDamage?: OnDamage): StoredComparisons {
  const stored: StoredComparisons = { judged: [], failed: [] }
  const names = existsSync(caseFolder) ? readdirSync(caseFolder) : []
  const numbers = names.flatMap((name) => {
    const [, number] = /^comparison(?:_error)?-(\d+)\.json$/.exec(name) ?? []
    return number === undefined ? [] : [Number(number)]
  })
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const paths = comparisonPaths(caseFolder, number)
    const one = readIf(comparison, paths.comparison, onDamage)
    if (one !== null) stored.judged.push({ number, comparison: one })
    const error = one === null ? readIf(comparisonError, paths.error, onDamage) : null
    if (error !== null) stored.failed.push({ number, error })
  }
  return stored
}

/** The comparison of this number; null: there is none that can be read. */
export function readComparison(caseFolder: string, number: number): Comparison | null {
  return readIf(comparison, comparisonPaths(caseFolder, number).comparison)
}

export async function writeComparison(caseFolder: string, number: number, value: Comparison): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparison, paths.comparison, value)
  await rm(paths.error, { force: true })
}

/** An earlier verdict of the same number goes: it was on something else. */
export async function writeComparisonError(caseFolder: string, number: number, value: ComparisonError): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparisonError, paths.error, value)
  await rm(paths.comparison, { force: true })
}
