/** Reads and writes the comparisons of a case: comparison-N.json, or comparison_error-N.json without a verdict. */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Comparison, type ComparisonError, comparison, comparisonError } from '../../../schemas/comparison.ts'
import { type OnDamage, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { comparisonPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'

/** Comparisons of a case in numeric order; those without a verdict are separate. Unreadable files count as absent and are reported. */
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
    const one = tryReadArtefact(comparison, paths.comparison, onDamage)
    if (one !== null) stored.judged.push({ number, comparison: one })
    const error = one === null ? tryReadArtefact(comparisonError, paths.error, onDamage) : null
    if (error !== null) stored.failed.push({ number, error })
  }
  return stored
}

/** The comparison with this number; null: missing, or it can't be read. */
export function readComparison(caseFolder: string, number: number): Comparison | null {
  return tryReadArtefact(comparison, comparisonPaths(caseFolder, number).comparison)
}

export async function writeComparison(caseFolder: string, number: number, value: Comparison): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparison, paths.comparison, value)
  await rm(paths.error, { force: true })
}

/** Also removes an earlier verdict with the same number, because it was about something else. */
export async function writeComparisonError(caseFolder: string, number: number, value: ComparisonError): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparisonError, paths.error, value)
  await rm(paths.comparison, { force: true })
}
