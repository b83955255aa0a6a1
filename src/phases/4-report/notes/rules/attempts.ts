/** Notes on attempts that do not count, on runs by several engine versions, and on further model calls. */
import type { AttemptLine, OtherAttempts } from '../../../../../schemas/attempts.ts'
import type { FurtherCalls } from '../../../../../schemas/benchmark.ts'
import { roundDollars } from '../../../../base/totals.ts'
import type { RunWithGrading } from '../../benchmark/aggregate_input.ts'
import { formatPlural } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

export function summarizeOtherAttempts(lines: readonly AttemptLine[]): OtherAttempts | null {
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

/** Runs by the version that their engine reported; null: at most one version. */
export function countEngineVersions(results: Iterable<Pick<RunWithGrading, 'record'>>): Record<string, number> | null {
  const runs: Record<string, number> = {}
  for (const { record } of results) {
    const version = record?.engine.version
    if (version) runs[version] = (runs[version] ?? 0) + 1
  }
  return Object.keys(runs).length < 2 ? null : runs
}

export function attemptNotes({ other_attempts: others, engine_versions: versions }: NoteParts): string[] {
  return [
    ...(versions === undefined ? [] : [versionsNote(versions)]),
    ...(others === undefined ? [] : [othersNote(others)]),
  ]
}

function versionsNote(versions: Readonly<Record<string, number>>): string {
  const list = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))
  const each = list.map(([version, runs]) => `${version} (${formatPlural(runs, 'run')})`)
  return `Several engine versions ran: ${each.join(', ')}. A difference may come from them: run again with one version.`
}

function othersNote({ attempts, lost, usd }: OtherAttempts): string {
  const known = usd === null ? '' : ` and cost at least $${usd.toFixed(2)}`
  const unknown = lost === 0 ? '' : `; the cost of ${lost} that ended with a lost worker is unknown`
  return `${formatPlural(attempts, 'further attempt')} did not count${known}${unknown}.`
}

export function summarizeFurtherCalls(results: Iterable<Pick<RunWithGrading, 'record'>>): FurtherCalls | null {
  const each = [...results].flatMap(({ record }) => record?.further_calls ?? [])
  if (each.length === 0) return null
  const sum = (name: 'calls' | 'tokens') => each.reduce((total, one) => total + one[name], 0)
  return { runs: each.length, calls: sum('calls'), tokens: sum('tokens') }
}

export function furtherCallNotes({ further_calls: further }: NoteParts): string[] {
  if (further === undefined) return []
  const { runs, calls, tokens } = further
  const amount = `${formatPlural(calls, 'further model call')} (${tokens.toLocaleString('en-US')} tokens) in ${formatPlural(runs, 'run')}`
  return [
    `${amount}, such as by programs that the agent started, ${calls === 1 ? 'is' : 'are'} not in the agent's own report. Tokens, cost and budget include ${calls === 1 ? 'it' : 'them'}.`,
  ]
}

export const mostNotes = 6
