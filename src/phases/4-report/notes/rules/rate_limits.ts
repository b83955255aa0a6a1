/** Notes on waits: suspensions and provider rate limits, which delayed the runs. */
import { formatPlural, formatSeconds } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

export function waitNotes({ held_back, suspended }: NoteParts): string[] {
  return [...suspensionNotes(suspended), ...heldBackNotes(held_back)]
}

function suspensionNotes(suspended: NoteParts['suspended']): string[] {
  if (suspended === undefined) return []
  const { runs, longest_ms } = suspended
  const note = `Whetstone was suspended during ${formatPlural(runs, 'run')} for up to ${formatSeconds(longest_ms / 1000)}: this time counts in no limit and no duration.`
  return [note]
}

function heldBackNotes(held_back: NoteParts['held_back']): string[] {
  if (held_back === undefined) return []
  const { refusals, waited_ms } = held_back
  const what =
    refusals === 0
      ? 'Waits for retries and rate limits'
      : `The provider refused ${formatPlural(refusals, 'request')} (429), which`
  const note = `${what} delayed runs and judges by ${formatSeconds(waited_ms / 1000)} in total: this time counts in no run's duration.`
  return [note]
}
