/** Notes on model calls that are not in the agents' own reports. */
import type { FurtherCalls } from '../../../../../schemas/benchmark.ts'
import type { RunWithGrading } from '../../benchmark/aggregate_input.ts'
import { formatPlural } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

/** null: there are none. */
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
