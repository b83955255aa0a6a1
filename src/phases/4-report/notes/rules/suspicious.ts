/** Notes on text that tries to instruct the judge: where it is, and its words. */
import { shortenText } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

/** One note, with the first place. */
export function suspiciousNotes({ runs }: NoteParts): string[] {
  const found = runs.flatMap((run) => run.injection_attempts?.slice(0, 1).map((attempt) => ({ ...run, attempt })) ?? [])
  const [first] = found
  if (first === undefined) return []
  const { attempt, eval_id, configuration, run_number } = first
  const place = attempt.line === null ? attempt.file : `${attempt.file}:${attempt.line}`
  const more = found.length > 1 ? ` and ${found.length - 1} more` : ''
  return [
    `Text that tries to instruct the judge: case ${eval_id}, ${configuration} run ${run_number}, ${place} ('${shortenText(attempt.text)}')${more}. Read it before you trust the verdicts of that run.`,
  ]
}
