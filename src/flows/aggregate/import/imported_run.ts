/** A run as the results of another tool tell it, and the reading of its score. */
import { UserError } from '../../../base/errors/error.ts'

export interface ImportedRun {
  case: string
  /** Without separators of paths: it names a folder. */
  configuration: string
  prompt: string | null
  /** null: the source has no verdict on it. */
  verdict: ImportedVerdict | null
  seconds: number | null
  tokens: number | null
  costUsd: number | null
}

export interface ImportedVerdict {
  /** What was decided, such as the name of the column. */
  text: string
  /** 0 to 1. */
  score: number
  evidence: string
  /** Tests behind the score; they do not count by themselves. */
  tests: readonly { text: string; passed: boolean }[]
}

/** Which fields of the source hold what, as `--columns` names them; several are joined. */
export type Columns = Partial<Record<ColumnUse, string[]>>

export const columnUses = ['case', 'configuration', 'score', 'seconds', 'tokens', 'cost'] as const
type ColumnUse = (typeof columnUses)[number]

const passWords = ['true', 'pass', 'passed', 'yes', 'success', 'succeeded', 'resolved', 'correct']
const failWords = ['false', 'fail', 'failed', 'no', 'failure', 'unresolved', 'incorrect', 'wrong']

/** A number from 0 to 1, a boolean or a word for it. null: nothing there. `place` is for the error. */
export function toScore(value: unknown, place: string): number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return Number(value)
  const text = String(value).trim().toLowerCase()
  if (['', 'null', 'none', 'nan', 'na', 'n/a'].includes(text)) return null
  if (passWords.includes(text)) return 1
  if (failWords.includes(text)) return 0
  const score = Number(text)
  if (score >= 0 && score <= 1) return score
  throw new UserError(
    `${place}: "${value}" is not a score`,
    'expected a number from 0 to 1, true or false, or pass or fail; --columns score=<name> chooses another',
  )
}

/** Seconds between two times in ISO form; null: one is unknown. */
export function secondsBetween(from: string | null | undefined, to: string | null | undefined): number | null {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000
  return seconds >= 0 ? seconds : null
}

/** Joins what is known of agent, model and the like to a name that can be a folder. */
export function configurationName(parts: readonly (string | null | undefined)[]): string {
  const name = parts
    .filter(Boolean)
    .join('+')
    .replaceAll(/[/\\\s]+/g, '-')
  return name.replace(/^\.+/, '') || 'results'
}
