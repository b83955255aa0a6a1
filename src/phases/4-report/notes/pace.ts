/** Notes on the pace: the limits of provider accounts, which shaped when things ran but none of the numbers. */
import type { NoteGroup, NoteParts } from '../notes.ts'
import { plural, seconds } from '../words.ts'

export function paceNotes({ held_back }: NoteParts): NoteGroup[] {
  if (held_back === undefined) return []
  const { refusals, waited_ms } = held_back
  const what =
    refusals === 0
      ? 'Waits before retries, or for a limit to pass,'
      : `The provider's limits refused ${plural(refusals, 'request')} (429) and`
  const note = `${what} held runs and judges back for ${seconds(waited_ms / 1000)} in all - in no run's time`
  return [{ notes: [note], more: '' }]
}
