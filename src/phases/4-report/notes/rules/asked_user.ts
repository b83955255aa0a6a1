/** Notes on runs that ended with a question to the user: how many of each configuration. */
import { armNames } from '../../benchmark/arms.ts'
import { formatConfiguration, formatPlural } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

export function askedUserNotes({ runs, arms }: NoteParts): string[] {
  const counts = armNames(arms).flatMap((name) => {
    const own = runs.filter((run) => run.configuration === name)
    const asked = own.filter(({ result }) => result.asked_user === true).length
    return asked === 0 ? [] : `${asked} of ${formatPlural(own.length, 'run')} ${formatConfiguration(name)}`
  })
  if (counts.length === 0) return []
  return [`Ended by asking the user: ${counts.join(', ')}. Give the answer in the prompt, or in further turns.`]
}
