/** Builds triggers.json from all runs of a set of trigger queries. Pure. */
import type { Stop } from '../../../../schemas/limits.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type {
  TriggerMetrics,
  TriggerResult,
  TriggerRun,
  TriggerSaving,
  TriggerShare,
  Triggers,
} from '../../../../schemas/triggers.ts'
import { countEach, roundDollars } from '../../../base/totals.ts'
import { listingWarnings } from '../../../phases/4-report/notes/rules/gaps.ts'
import { wilson } from '../../../phases/4-report/stats/distributions/binomial.ts'
import type { TriggerQuery } from '../queries/query_set.ts'
import { findTriggerConfusions, type TriggerRunSource, toTriggerResult, toTriggerRun, triggerAlpha } from './results.ts'

export interface TriggerInput {
  plan: Plan
  queries: readonly TriggerQuery[]
  set: Triggers['set']
  threshold: number
  /** By query_id, in order of run number. */
  runs: ReadonlyMap<number, readonly TriggerRunSource[]>
  /** Earlier runs that were not stopped early, to measure what stopping saves. */
  basis: WholeRuns
  stopReason: string
  stop: Stop | null
  createdAt: string
}

export function buildTriggers(input: TriggerInput): Triggers {
  const { plan, queries, set, threshold } = input
  const { skill, options } = plan
  const names = { skill: skill.name, stop: input.stopReason }
  const made = (id: number) => input.runs.get(id) ?? []
  const results = queries.map((asked) => {
    const runs = made(asked.query_id).map((one) => toTriggerRun(one, names))
    return toTriggerResult(asked, runs, threshold)
  })
  const runs = results.flatMap(({ query_runs }) => query_runs)
  const records = queries.flatMap(({ query_id }) => made(query_id).flatMap(({ record }) => record ?? []))
  const count = (of: (one: (typeof results)[number]) => number) => results.reduce((sum, one) => sum + of(one), 0)
  const decided = count((one) => one.runs)
  return {
    schema_version: 1,
    created_at: input.createdAt,
    skill_name: skill.name,
    description: skill.description,
    skill_sha256: skill.sha256,
    set,
    among: (plan.runs[0]?.among ?? []).map(({ name, description }) => ({ name, description })),
    configuration: plan.candidate_configuration,
    ...describeEngine(plan, records),
    options: {
      runs: options.runs,
      threshold,
      timeout_seconds: options.timeout_seconds,
      max_turns: options.max_turns,
      stop_early: plan.runs.some(({ stop_at }) => stop_at !== undefined),
    },
    results,
    summary: {
      total: results.length,
      passed: results.filter(({ pass }) => pass === true).length,
      failed: results.filter(({ pass }) => pass === false).length,
      undecided: results.filter(({ pass }) => pass === null).length,
      runs_planned: plan.runs.length,
      runs_decided: decided,
      runs_failed: count((one) => one.errors),
      runs_missing: count((one) => one.missing),
    },
    metrics: computeTriggerMetrics(results),
    confusions: findTriggerConfusions(results),
    cost: sumTriggerCost(runs),
    saving: measureSaving(runs, input.basis),
    complete: decided === plan.runs.length,
    stop: input.stop,
    warnings: [
      ...listingWarnings(records.flatMap(({ skill: { listing } }) => listing ?? [])),
      ...draftWarning(set, results.length),
      ...listTriggerWarnings(results, runs),
    ],
  }
}

export function describeEngine({ options: { engine }, sandbox }: Plan, records: readonly RunRecord[]) {
  return {
    engine,
    version: records.map((one) => one.engine.version).find((version) => version !== null) ?? null,
    model: records.map((one) => one.engine.model).find((model) => model !== null) ?? null,
    sandbox: sandbox ?? null,
  }
}

/** Over the runs that are not missing. */
export function sumTriggerCost(
  runs: readonly (Pick<TriggerRun, 'cost' | 'tokens' | 'duration_ms'> & { outcome: string })[],
): Triggers['cost'] {
  const made = runs.filter(({ outcome }) => outcome !== 'missing')
  const known = made.flatMap(({ cost }) => (cost === null ? [] : [cost.usd]))
  const tokens = made.flatMap((run) => run.tokens ?? [])
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
  return {
    usd: known.length === 0 ? null : roundDollars(sum(known)),
    tokens: tokens.length === 0 ? null : sum(tokens),
    seconds: sum(made.map(({ duration_ms }) => (duration_ms ?? 0) / 1000)),
    unknown: made.length - known.length,
  }
}

function draftWarning({ drafts = 0 }: Triggers['set'], results: number): string[] {
  return drafts === 0
    ? []
    : [
        `${drafts} of ${results} queries were drafted by a model and have not been reviewed: read them before you trust these numbers`,
      ]
}

/** [] without errors. */
export function errorsWarning(runs: readonly { error: { kind: string } | null }[]): string[] {
  const kinds = countEach(runs.flatMap(({ error }) => error?.kind ?? []))
  const errors = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')
  return errors === '' ? [] : [`runs without an answer, not in any rate: ${errors}`]
}

function listTriggerWarnings(results: Triggers['results'], runs: Triggers['results'][number]['query_runs']): string[] {
  const atLimit = runs.filter(({ at_limit }) => at_limit).length
  const undecided = results.filter(({ pass }) => pass === null).length
  return [
    ...errorsWarning(runs),
    ...(undecided === 0 ? [] : [`${undecided} queries without any answer`]),
    ...(atLimit === 0
      ? []
      : [
          `${atLimit} runs reached the maximum number of responses without reading the skill; they count as not triggered`,
        ]),
  ]
}

type CountedQuery = Pick<TriggerResult, 'should_trigger' | 'trigger_rate' | 'triggers' | 'runs' | 'pass'>

/**
 * Queries without an answer are excluded. Runs of one query are alike, so the intervals count queries. A mean of n rates in [0, 1] varies
 * at most as much as n yes-or-no answers with that mean, for which Wilson's interval is valid.
 */
export function computeTriggerMetrics(results: readonly CountedQuery[]): TriggerMetrics {
  const decided = results.filter(({ runs }) => runs > 0)
  const positive = decided.filter(({ should_trigger }) => should_trigger)
  const negative = decided.filter(({ should_trigger }) => !should_trigger)
  const triggered = (of: readonly CountedQuery[]) => of.reduce((sum, { triggers }) => sum + triggers, 0)
  const asked = (of: readonly CountedQuery[]) => of.reduce((sum, { runs }) => sum + runs, 0)
  const [hits, alarms] = [triggered(positive), triggered(negative)]
  const everTriggered = decided.filter(({ triggers }) => triggers > 0).length
  return {
    matrix: {
      true_positive: hits,
      false_negative: asked(positive) - hits,
      false_positive: alarms,
      true_negative: asked(negative) - alarms,
    },
    recall: meanRate(positive),
    precision: everTriggered === 0 ? null : toTriggerShare(hits / (hits + alarms), everTriggered),
    false_trigger_rate: meanRate(negative),
    accuracy:
      decided.length === 0
        ? null
        : toTriggerShare(decided.filter(({ pass }) => pass === true).length / decided.length, decided.length),
    method: 'wilson over queries',
  }
}

function meanRate(of: readonly CountedQuery[]): TriggerShare | null {
  if (of.length === 0) return null
  return toTriggerShare(of.reduce((sum, { trigger_rate }) => sum + (trigger_rate ?? 0), 0) / of.length, of.length)
}

export function toTriggerShare(value: number, n: number): TriggerShare {
  const { low, high } = wilson(value * n, n, triggerAlpha)
  return { value, ci_low: low, ci_high: high, n }
}

type Unit = TriggerSaving['unit']
export type RunAmounts = Pick<TriggerRun, 'outcome' | 'stopped' | 'cost' | 'tokens' | 'duration_ms'>

/** Runs of the same skill on the same engine that were not stopped early. */
export interface WholeRuns {
  /** From earlier measurements without early stopping. */
  measured: readonly RunAmounts[]
  /** From a benchmark, with the skill: other prompts, but the same kind of work. */
  benched: readonly RunAmounts[]
}

/** Compared with the closest available group. null: no run was stopped. */
export function measureSaving(runs: readonly RunAmounts[], { measured, benched }: WholeRuns): TriggerSaving | null {
  const decided = runs.filter(({ outcome }) => outcome === 'triggered' || outcome === 'not_triggered')
  const stopped = decided.filter((run) => run.stopped)
  if (stopped.length === 0) return null
  const isWhole = (run: RunAmounts) => run.outcome === 'triggered' && !run.stopped
  const candidates = [
    [measured.filter(isWhole), 'triggered runs that went to their end'],
    [benched.filter(isWhole), 'benchmark runs that read the skill'],
    [decided.filter((run) => !run.stopped), 'runs that did not trigger'],
  ] as const
  const [compared, basis] = candidates.find(([whole]) => whole.length > 0) ?? [[], 'none' as const]
  const unit =
    (['usd', 'tokens', 'seconds'] as const).find((one) => isKnown([...stopped, ...compared], one)) ?? 'seconds'
  const mean = averageAmount(stopped, unit)
  const meanWhole = compared.length === 0 ? null : averageAmount(compared, unit)
  const difference = meanWhole === null ? null : (meanWhole - mean) * stopped.length
  return {
    stopped: stopped.length,
    of: decided.length,
    unit,
    mean_stopped: mean,
    mean_whole: meanWhole,
    basis,
    saved: difference,
    saved_share: meanWhole === null || meanWhole === 0 ? null : 1 - mean / meanWhole,
  }
}

function readRunAmount(run: RunAmounts, unit: Unit): number | null {
  switch (unit) {
    case 'usd':
      return run.cost?.usd ?? null
    case 'tokens':
      return run.tokens
    case 'seconds':
      return run.duration_ms === null ? null : run.duration_ms / 1000
  }
}

function isKnown(runs: readonly RunAmounts[], unit: Unit): boolean {
  return runs.every((run) => readRunAmount(run, unit) !== null)
}

function averageAmount(runs: readonly RunAmounts[], unit: Unit): number {
  return runs.reduce((sum, run) => sum + (readRunAmount(run, unit) ?? 0), 0) / runs.length
}
