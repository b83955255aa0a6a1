/** The outcome of a run (triggered, not triggered, or no answer) with what the agent did before, and the numbers of a query's runs. */
import type { RunRecord } from '../../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { TriggerConfusion, TriggerResult, TriggerRun } from '../../../../schemas/triggers.ts'
import { countEach } from '../../../base/totals.ts'
import { wilson } from '../../../phases/4-report/stats/distributions/binomial.ts'
import type { TriggerQuery } from '../queries/query_set.ts'

export interface TriggerRunSource {
  run_id: string
  run_number: number
  /** null: it did not run. */
  record: RunRecord | null
  events: readonly TranscriptEvent[]
}

/** Failures after which the offered skills are not known, so that reading the skill does not count. */
const spoiltKinds: ReadonlySet<string> = new Set(['contaminated', 'skill_not_offered'])

/** `skill`: the name of the tested skill; `stop`: the stop reason of runs that Whetstone stopped early. */
export function toTriggerRun(made: TriggerRunSource, { skill, stop }: { skill: string; stop: string }): TriggerRun {
  const { run_number, run_id, record, events } = made
  if (record === null) return { ...unknownTriggerRun, run_number, run_id, outcome: 'missing', error: null }
  const shared = {
    run_number,
    run_id,
    ...readTriggerConduct(events, skill),
    stopped: record.stop_reason === stop,
    at_limit: record.stop_reason === 'max_turns' && record.skill.read !== true,
    attempts: record.attempts,
    duration_ms: record.duration_ms,
    tokens: sumRunTokens(record),
    cost: record.cost,
  }
  const error = findTriggerRunError(record, record.skill.read === true)
  if (error !== null) return { ...shared, outcome: 'error', error }
  return { ...shared, outcome: record.skill.read === true ? 'triggered' : 'not_triggered', error: null }
}

const unknownTriggerRun = {
  via: null,
  at_step: null,
  before: [],
  others: [],
  stopped: false,
  at_limit: false,
  attempts: 0,
  duration_ms: null,
  tokens: null,
  cost: null,
}

export function sumRunTokens({ usage }: RunRecord): number | null {
  return usage && usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

/** Why there is no answer; null: there is one. A run that read the skill has an answer, however it ended. */
export function findTriggerRunError(record: RunRecord, isRead: boolean): TriggerRun['error'] {
  if (record.status === 'failed' && spoiltKinds.has(record.error.kind)) return record.error
  if (isRead) return null
  switch (record.status) {
    case 'failed':
      return record.error
    case 'timed_out':
      return { kind: 'timed_out', message: 'the run timed out before it read the skill or ended' }
    case 'cancelled':
      return { kind: 'cancelled', message: 'the deadline ended the run before there was an answer' }
    case 'completed':
      if (record.skill.read === false) return null
      return { kind: 'unseen', message: 'the engine does not report whether skills are read' }
  }
}

/** What the agent did until it read the skill; everything if it did not. */
function readTriggerConduct(events: readonly TranscriptEvent[], skill: string) {
  const at = events.findIndex((event) => event.type === 'skill_read' && event.skill === skill)
  const read = events[at]
  const seen = at < 0 ? events : events.slice(0, at)
  const calls = seen.flatMap((event) => (event.type === 'tool_call' ? [event] : []))
  // the call that reads the skill does not count
  const before = (read === undefined ? calls : calls.slice(0, -1)).map(({ name }) => name)
  const others = seen.flatMap((event) => (event.type === 'skill_read' ? [event.skill] : []))
  const { via, step } = read?.type === 'skill_read' ? read : { via: null, step: null }
  return { via, at_step: step, before, others: [...new Set([...others, ...findBundledSkills(calls, skill)])] }
}

/** Skills that the agent brings itself, from the calls of its Skill tool. */
function findBundledSkills(calls: readonly Extract<TranscriptEvent, { type: 'tool_call' }>[], skill: string): string[] {
  return calls.flatMap(({ name, input }) => {
    if (name !== 'Skill' || input === null || typeof input !== 'object' || Array.isArray(input)) return []
    const { skill: called } = input
    return typeof called === 'string' && called !== skill ? [called] : []
  })
}

/** For every interval here. */
export const triggerAlpha = 0.05

export function toTriggerResult(asked: TriggerQuery, runs: readonly TriggerRun[], threshold: number): TriggerResult {
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
  const counts = countEach(runs.flatMap(({ others }) => others))
  return [...counts].map(([skill, of]) => ({ skill, runs: of })).sort((a, b) => b.runs - a.runs)
}
