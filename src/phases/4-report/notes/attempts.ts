/** Notes on work that was done elsewhere: attempts that do not count, and engines of several versions. */

import type { AttemptLine, OtherAttempts } from '../../../../schemas/attempts.ts'
import { roundDollars } from '../../../base/dollars.ts'
import type { RunResult } from '../input.ts'
import type { NoteGroup, NoteParts } from '../notes.ts'
import { plural } from '../words.ts'

/** null: there are none. */
export function otherAttemptsOf(lines: readonly AttemptLine[]): OtherAttempts | null {
  if (lines.length === 0) return null
  const sum = (amounts: readonly (number | null)[]) => {
    const known = amounts.filter((one) => one !== null)
    return known.length === 0 ? null : roundDollars(known.reduce((total, one) => total + one, 0))
  }
  return {
    attempts: lines.length,
    lost: lines.filter(({ status }) => status === null).length,
    usd: sum(lines.map(({ usd }) => usd)),
    tokens: sum(lines.map(({ tokens }) => tokens)),
  }
}

/** Runs by the version that their engine said it was; null: at most one. */
export function versionsIn(results: Iterable<Pick<RunResult, 'record'>>): Record<string, number> | null {
  const runs: Record<string, number> = {}
  for (const { record } of results) {
    const version = record?.engine.version
    if (version) runs[version] = (runs[version] ?? 0) + 1
  }
  return Object.keys(runs).length < 2 ? null : runs
}

export function attemptNotes({ other_attempts: others, engine_versions: versions }: NoteParts): NoteGroup[] {
  const notes: string[] = []
  if (versions !== undefined) {
    const list = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))
    const each = list.map(([version, runs]) => `${version} (${plural(runs, 'run')})`)
    notes.push(`Runs were made by several versions of the engine: ${each.join(', ')} - a difference may be theirs`)
  }
  if (others !== undefined) {
    const { attempts, lost, usd } = others
    const known = usd === null ? '' : `, $${usd.toFixed(2)} known of it`
    const what =
      lost === 0
        ? ''
        : `; of ${lost} that ${lost === 1 ? 'was' : 'were'} lost with a worker, or ended with it, nobody knows the cost`
    const verbs = attempts === 1 ? ['does', 'was'] : ['do', 'were']
    notes.push(
      `${plural(attempts, 'further attempt')} at runs ${verbs[0]} not count, and ${verbs[1]} paid for${known}${what}`,
    )
  }
  return notes.length === 0 ? [] : [{ notes, more: '' }]
}
