/** Which of several scores of a run counts. */
import { UserError } from '../../../base/errors/error.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'

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
