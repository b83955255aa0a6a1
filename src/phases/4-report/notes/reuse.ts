/** Notes on what was taken from the cache: the reader should know that an arm is of another day. */
import { armNames } from '../arms.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { reusedText } from '../reused.ts'

export function reuseNotes({ reused, counts, arms }: NoteParts): NoteGroup[] {
  if (reused === undefined) return []
  const from = armNames(arms).filter((name) => (reused.by_configuration[name] ?? 0) > 0)
  const isOneSided = from.length === 1 && armNames(arms).length > 1
  const day = isOneSided ? ` - ${from[0]} was run earlier than the arm it is compared with` : ''
  return [{ notes: [`${reusedText(reused, counts.planned)}${day}`], more: '' }]
}
