// Decides a protocol from its benchmarks, as written before the runs, and formats the results.
import { holm } from '../../dist/src/phases/4-report/stats/tests/holm.js'
import { formatDifference, formatInterval, formatShare, formatTable } from './table.mjs'

/** Each skill and model with its difference on these cases, its p-value after Holm, and the decision. */
export function decideProtocol(found, alpha) {
  const scopes = found.map(({ benchmark }) => benchmark.statistics.scopes.these_cases)
  const adjusted = holm(scopes.map(({ difference }) => difference.p_value ?? 1))
  return found.map(({ skill, model, benchmark }, at) => {
    const { difference, verdict } = scopes[at]
    const isSignificant = ['helps', 'hurts'].includes(verdict) && adjusted[at] <= alpha
    return {
      ...{ skill: skill.name, model, difference, verdict, adjusted: adjusted[at] },
      decision: isSignificant ? verdict : 'not shown',
      answered: benchmark.metadata.executor_model,
      read: benchmark.statistics.activation.with_skill ?? null,
      counts: benchmark.counts,
      usd: benchmark.cost?.agent_usd ?? null,
    }
  })
}

export function formatResults(decided, { hash, spent, date }) {
  const rows = decided.map(({ skill, model, difference, adjusted, decision, read, counts, usd }) => [
    `${skill}, ${model}`,
    `${counts.used} of ${counts.planned}`,
    read === null ? '–' : `${read.read} of ${read.known}`,
    formatDifference(difference.mean),
    formatInterval(difference.ci_low, difference.ci_high),
    formatShare(difference.p_value),
    formatShare(adjusted),
    decision,
    usd === null ? 'unknown' : `$${usd.toFixed(2)}`,
  ])
  const head = [
    'skill, model',
    'runs graded',
    'skill read',
    'difference',
    '95% CI',
    'p',
    'p after Holm',
    'decision',
    'cost',
  ]
  const open = decided.filter(({ counts }) => counts.used < counts.planned).length
  const ending =
    open === 0 ? 'All planned runs were graded.' : `Incomplete: ${open} of ${decided.length} benchmarks lack runs.`
  const models = [...new Map(decided.map(({ model, answered }) => [model, answered]))]
  const helped = decided.filter(({ decision }) => decision === 'helps').length
  return [
    `Run on ${date.toISOString().slice(0, 10)}; protocol ${hash}; $${spent.toFixed(2)} spent. ${ending}`,
    `Models: ${models.map(([asked, answered]) => `${asked} was ${answered}`).join('; ')}.`,
    formatTable(head, rows),
    `The skill helps in ${helped} of ${decided.length} combinations after Holm.`,
  ].join('\n\n')
}
