/** Summarises the runs of one query in numbers. */
import type { TriggerConfusion, TriggerResult, TriggerRun } from '../../../../schemas/triggers.ts'
import { wilson } from '../../../phases/4-report/stats/distributions/binomial.ts'

/** For every interval here. */
export const triggerAlpha = 0.05

/** A query as in its set; `query_id`: its place there, from 1. */
export type AskedQuery = Pick<
  TriggerResult,
  'query_id' | 'id' | 'query' | 'should_trigger' | 'split' | 'note' | 'draft'
>

export function toTriggerResult(asked: AskedQuery, runs: readonly TriggerRun[], threshold: number): TriggerResult {
  const count = (outcome: TriggerRun['outcome']) => runs.filter((run) => run.outcome === outcome).length
  const triggers = count('triggered')
  const decided = triggers + count('not_triggered')
  const rate = decided === 0 ? null : triggers / decided
  const { low, high } = wilson(triggers, decided, triggerAlpha)
  return {
    query_id: asked.query_id,
    id: asked.id,
    query: asked.query,
    should_trigger: asked.should_trigger,
    trigger_rate: rate,
    ci_low: low,
    ci_high: high,
    triggers,
    runs: decided,
    errors: count('error'),
    missing: count('missing'),
    pass: rate === null ? null : rate >= threshold === asked.should_trigger,
    split: asked.split,
    note: asked.note,
    ...(asked.draft && { draft: asked.draft }),
    query_runs: [...runs],
  }
}

/** The queries that the description gets wrong, worst first. */
export function findTriggerConfusions(results: readonly TriggerResult[]): TriggerConfusion[] {
  const wrong = results.flatMap((result): (TriggerConfusion & { by: number })[] => {
    const { query_id, query, should_trigger, trigger_rate, pass, query_runs } = result
    if (pass !== false || trigger_rate === null) return []
    const kind = should_trigger ? 'missed' : 'wrongly_triggered'
    const by = should_trigger ? 1 - trigger_rate : trigger_rate
    return [{ query_id, query, kind, trigger_rate, instead: countOtherSkills(query_runs), by }]
  })
  return wrong.sort((a, b) => b.by - a.by || a.query_id - b.query_id).map(({ by: _, ...one }) => one)
}

function countOtherSkills(runs: readonly TriggerRun[]): TriggerConfusion['instead'] {
  const counts = new Map<string, number>()
  for (const { others } of runs) for (const skill of others) counts.set(skill, (counts.get(skill) ?? 0) + 1)
  return [...counts].map(([skill, of]) => ({ skill, runs: of })).sort((a, b) => b.runs - a.runs)
}
