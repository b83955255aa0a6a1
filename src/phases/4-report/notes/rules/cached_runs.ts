/** Notes on cached runs. */
import { reusedText } from '../../benchmark/cached_runs.ts'
import type { NoteParts } from './note_parts.ts'

export function reuseNotes({ reused, counts }: NoteParts): string[] {
  return reused === undefined ? [] : [`${reusedText(reused, counts.planned)}.`]
}
