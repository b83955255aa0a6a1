/** Notes on expectations: those that differ significantly between the configurations, and those that can't show a difference. */
import type { StatisticsExpectation } from '../../../../../schemas/benchmark_statistics.ts'
import { isSuspicious } from '../../judge/suspicious_runs.ts'
import { shortenText } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

const mostNamed = 3

export function expectationNotes(parts: NoteParts): string[] {
  const { statistics } = parts
  if (!statistics?.scopes) return []
  const counted = statistics.expectations.filter(
    ({ indicator, diagnostic }) => indicator === null && diagnostic !== true,
  )
  return [...significantNotes(counted, parts), ...constantNotes(counted)]
}

/** A judge may have obeyed an instruction in a suspicious run, so what such a run decided proves nothing. */
function significantNotes(expectations: readonly StatisticsExpectation[], { runs, statistics }: NoteParts): string[] {
  const suspicious = new Set(runs.filter(isSuspicious).map(({ eval_id }) => eval_id))
  const alpha = statistics?.alpha ?? 0.05
  const found = expectations.filter(
    ({ p_adjusted, eval_id }) => p_adjusted !== undefined && p_adjusted <= alpha && !suspicious.has(eval_id),
  )
  if (found.length === 0) return []
  const named = found.slice(0, mostNamed).map(({ text, eval_id, candidate, baseline }) => {
    const counts = `${candidate.passed} of ${candidate.total} vs ${baseline.passed} of ${baseline.total}`
    return `'${shortenText(text, 80)}' (case ${eval_id}: ${counts})`
  })
  const level = Number((100 * alpha).toFixed(1))
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : ''
  return [
    `Expectations and checks with a significant difference (false discovery rate ${level}%): ${named.join(', ')}${more}.`,
  ]
}

function constantNotes(expectations: readonly StatisticsExpectation[]): string[] {
  const compared = expectations.filter(({ discrimination }) => discrimination !== null)
  const total = `${compared.length} ${compared.length === 1 ? 'expectation or check' : 'expectations and checks'}`
  const found = (
    isKind: (one: StatisticsExpectation) => boolean,
    describe: (verb: string, example: string) => string,
  ) => {
    const all = compared.filter(isKind)
    return all.slice(0, 1).map(({ text, eval_id }) => {
      const example = `(${all.length === 1 ? '' : 'such as '}'${shortenText(text, 80)}' of case ${eval_id})`
      return `${all.length} of ${total} ${describe(all.length === 1 ? 'passes' : 'pass', example)}`
    })
  }
  return [
    ...found(
      ({ always_passes }) => always_passes,
      (verb, example) =>
        `${verb} in every run of both configurations ${example}: stricter ones could show a difference.`,
    ),
    ...found(
      ({ never_passes }) => never_passes,
      (verb, example) =>
        `never ${verb} ${example}: look at a run to see whether they ask for too much, or the skill no longer works.`,
    ),
  ]
}
