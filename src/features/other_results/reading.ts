/** What readers of other tools' results share: their files, scores, times and names. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { walk } from '../../base/fs/files.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'

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

interface ScoreChoice {
  /** As --columns score=… says; absent: not said. */
  asked: readonly string[] | undefined
  file: string
  /** The one that counts if it is among several; null: none does. */
  preferred: string | null
}

/** null: there is none. Throws UserError if it can't be told, or the asked one is not there. */
export function chooseScore(names: readonly string[], { asked, file, preferred }: ScoreChoice): string | null {
  if (names.length === 0) return null
  const wish = asked?.[0]
  if (wish !== undefined) {
    if (names.includes(wish)) return wish
    throw new UserError(`--columns score=${wish}: ${file} has no such score`, suggestChoice(wish, names))
  }
  if (names.length === 1) return names[0] ?? null
  if (preferred !== null && names.includes(preferred)) return preferred
  throw new UserError(`${file}: several scores: ${names.join(', ')}`, `say which: --columns score=${names[0]}`)
}

/** Absolute, in name order. Throws UserError if there are none; `looked` says what was looked for. */
export async function findResultFiles(place: string, matches: RegExp, looked: string): Promise<string[]> {
  const full = path.resolve(place)
  const found = await stat(full).catch(() => null)
  if (found === null) throw new UserError(`${place}: not found`, `name ${looked}`)
  if (found.isFile()) return [full]
  const { files } = await walk(full, { unreadable: 'leave_out' })
  const named = files.filter(({ path: file }) => matches.test(file)).map(({ path: file }) => path.join(full, file))
  if (named.length === 0) throw new UserError(`${place}: no results found`, `expected ${looked}`)
  return named.sort()
}
