/** Finds runs that are too old to be compared with the run of the same case and number in the other configuration, and says so. */
import type { DriftTest, OlderRuns } from '../../../../../schemas/older_runs.ts'
import type { RunSpec } from '../../../../../schemas/plan.ts'
import type { CountedRecord } from '../../../../../schemas/run.ts'
import { toGroups } from '../../../../base/totals.ts'
import { formatPercent, formatPlural, pText } from '../../text/format.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Milliseconds; the default of --baseline-age. */
export const usualBaselineAge = dayMs

export interface RunOrigin {
  /** Milliseconds since the epoch. */
  at: number
  /** The benchmark that a cached run was performed for; null: this one. */
  benchmark: string | null
  /** null: the engine does not report it. */
  model: string | null
  version: string | null
}

export function readOrigin(record: Pick<CountedRecord, 'cached_from' | 'ended_at' | 'engine'>): RunOrigin {
  const { model, version } = record.engine
  const { cached_from: from = null } = record
  return { at: Date.parse(from?.at ?? record.ended_at), benchmark: from?.benchmark ?? null, model, version }
}

type PairedRun = Pick<RunSpec, 'run_id' | 'eval_id' | 'run_number'> & { configuration: string }

export interface StaleRun<R extends PairedRun = PairedRun> {
  run: R
  at: number
  /** engine: it ran on another model or engine version than the other configuration. */
  why: 'age' | 'engine'
}

interface StaleRules<R> {
  runs: readonly R[]
  /** By run id. */
  origins: ReadonlyMap<string, RunOrigin>
  /** --baseline-age in milliseconds. */
  ageMs: number
  /** When runs without an origin will be performed; null: they are left out. */
  now: number | null
}

/**
 * In the order of `runs`. A run whose partner has no origin is held against the newest run of its case in the other configuration. Runs of one benchmark are performed in pairs: between them `ageMs` counts as a day at least, so that a small
 * age does not part them.
 */
export function findStaleRuns<R extends PairedRun>({ runs, origins, ageMs, now }: StaleRules<R>): StaleRun<R>[] {
  const cases = toGroups(runs, ({ eval_id }) => eval_id)
  const engines = listEngines(runs, origins)
  return runs.flatMap((run) => {
    const own = origins.get(run.run_id)
    if (own === undefined) return []
    const stale = (why: StaleRun['why']) => ({ run, at: own.at, why })
    if (own.benchmark !== null && ranElsewhere(run, own, engines)) return stale('engine')
    const others = (cases.get(run.eval_id) ?? []).filter(({ configuration }) => configuration !== run.configuration)
    const partner = others.find(({ run_number }) => run_number === run.run_number)
    const other =
      (partner && origins.get(partner.run_id)) ?? (now === null ? findNewestOrigin(others, origins) : undefined)
    const otherAt = other?.at ?? (partner === undefined ? null : now)
    if (otherAt === null) return []
    const limit = own.benchmark === (other?.benchmark ?? null) ? Math.max(ageMs, dayMs) : ageMs
    const isApart = Math.abs(own.at - otherAt) > limit
    return isApart && (now ?? Math.max(own.at, otherAt)) - own.at > limit ? stale('age') : []
  })
}

/**
 * How often these runs were compared, this benchmark included: with run numbers added to reused ones, in most cases and in both
 * configurations, the verdict on the first ones was seen before.
 */
export function countLooks(runs: readonly PairedRun[], origins: ReadonlyMap<string, RunOrigin>): number {
  const configurations = [...new Set(runs.map(({ configuration }) => configuration))]
  const looks = [...toGroups(runs, ({ eval_id }) => eval_id).values()].map((some) =>
    Math.min(
      ...configurations.map((name) => {
        const own = some.filter(({ configuration }) => configuration === name)
        const sorted = own.sort((a, b) => a.run_number - b.run_number)
        return countAdditions(sorted.map(({ run_id }) => origins.get(run_id)?.benchmark ?? null))
      }),
    ),
  )
  return looks.sort((a, b) => b - a)[Math.floor(looks.length / 2)] ?? 1
}

/** `origins`: by run number. Runs between those of an earlier benchmark replace failed ones and are no addition. */
function countAdditions(origins: readonly (string | null)[]): number {
  const isAddition = (one: string | null, at: number) => {
    const before = origins.slice(0, at)
    return at > 0 && !before.includes(one) && before.every((earlier) => origins.lastIndexOf(earlier) < at)
  }
  return 1 + origins.filter(isAddition).length
}

const hourMs = 60 * 60 * 1000

/** Whether a run and its partner in the other configuration ran for different benchmarks, more than an hour apart. */
export function isAnotherHour(runs: readonly PairedRun[], origins: ReadonlyMap<string, RunOrigin>): boolean {
  return [...toGroups(runs, ({ eval_id }) => eval_id).values()].some((some) =>
    some.some(({ run_id, run_number }) => {
      const partners = some.filter((other) => other.run_number === run_number)
      const [own, other] = [run_id, partners.find((one) => one.run_id !== run_id)?.run_id ?? ''].map((id) =>
        origins.get(id),
      )
      return own && other && own.benchmark !== other.benchmark && Math.abs(own.at - other.at) > hourMs
    }),
  )
}

function findNewestOrigin(runs: readonly PairedRun[], origins: ReadonlyMap<string, RunOrigin>): RunOrigin | undefined {
  const known = runs.flatMap(({ run_id }) => origins.get(run_id) ?? [])
  return known.reduce<RunOrigin | undefined>(
    (last, one) => (last === undefined || one.at > last.at ? one : last),
    undefined,
  )
}

type EnginesByConfiguration = ReadonlyMap<string, readonly RunOrigin[]>

function listEngines(runs: readonly PairedRun[], origins: StaleRules<PairedRun>['origins']): EnginesByConfiguration {
  const found = new Map<string, RunOrigin[]>()
  for (const { configuration, run_id } of runs) {
    const origin = origins.get(run_id)
    const known = found.get(configuration) ?? []
    found.set(configuration, known)
    const isNew = !known.some(({ model, version }) => model === origin?.model && version === origin?.version)
    if (origin !== undefined && isNew) known.push(origin)
  }
  return found
}

/** True if no run of another configuration reports this run's model, or none its engine version. */
function ranElsewhere({ configuration }: PairedRun, own: RunOrigin, engines: EnginesByConfiguration): boolean {
  const others = [...engines].flatMap(([name, origins]) => (name === configuration ? [] : origins))
  return (['model', 'version'] as const).some((field) => {
    const known = others.flatMap((other) => other[field] ?? [])
    const value = own[field]
    return value !== null && known.length > 0 && !known.includes(value)
  })
}

interface OlderRunsCounts {
  configuration: string
  older: number
  again: number
  tested: boolean
  baseline_age_seconds: number
}

/** "12 without_skill runs are more than 24 h older than what they are compared with: 4 run again to test for drift". */
export function olderRunsText({
  configuration,
  older,
  again,
  tested,
  baseline_age_seconds: age,
}: OlderRunsCounts): string {
  const runs = `${formatPlural(older, `${configuration} run`)} ${older === 1 ? 'is' : 'are'}`
  const what = tested ? `${again} run again, to test for drift` : `${again === older ? 'all' : again} run again`
  return `${runs} more than ${ageText(age * 1000)} older than the runs compared with, or from another engine: ${what}`
}

/** "without_skill: no drift found (33% before, 33% in 4 runs again, p = 1)". */
export function driftTestText({ configuration, result, ...test }: DriftTest): string {
  const { pass_rate_older: before, pass_rate_new: now, sampled, p_value, checks_flipped: flipped } = test
  const checks = flipped === 0 ? '' : `, ${formatPlural(flipped, 'check')} decided differently`
  const rates = before === null || now === null ? '' : `${formatPercent(before)} before, ${formatPercent(now)} in `
  const basis = `${rates}${formatPlural(sampled, 'run')} again${p_value === null ? '' : `, ${pText(p_value)}`}${checks}`
  switch (result) {
    case 'no_drift':
      return `${configuration}: no drift found (${basis})`
    case 'drift':
      return `${configuration}: results have drifted (${basis}), so all older runs run again`
    case 'engine_changed':
      return `${configuration}: older runs are from another model or engine version, so they run again`
    case 'not_testable':
      return `${configuration}: too few graded runs to test for drift, so all older runs run again`
  }
}

/** One line for each test, and why the benchmark is not concurrent. */
export function olderRunsTexts({ reason, tests }: OlderRuns): string[] {
  return [...(reason === null ? [] : [`not concurrent: ${reason}`]), ...tests.map(driftTestText)]
}

/** "24 h", "30 s". */
export function ageText(ms: number): string {
  const hours = ms / 3_600_000
  return hours > 0 && hours < 1 ? `${Math.round(ms / 1000)} s` : `${Math.round(hours * 10) / 10} h`
}
