/** Reads the cost, tokens and duration of runs and gradings, and forecasts them: means of this benchmark, else of earlier ones in the workspace. */
import path from 'node:path'
import type { Grading } from '../../../schemas/grading.ts'
import type { EngineChoice, Plan, PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { FailureKind, RunRecord } from '../../../schemas/run.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { sumKnown } from '../../base/totals.ts'
import { countTokens } from '../../engines/models/cost.ts'
import { applyUserPrices } from '../../engines/models/user_prices.ts'
import type { Collection } from '../../store/paths.ts'
import { listBenchmarks, readPlan, readRun, type StoredRun } from '../../store/store.ts'

export type CostPart = 'run' | 'grading'
export type UsageUnit = keyof ResourceUsage

type RunArm = Pick<RunSpec, 'eval_id' | 'configuration'>

/** Means of the cost and duration of runs and gradings. */
export class RunStats {
  readonly #sums = new Map<string, { sum: number; count: number }>()

  /** Runs whose cost or duration is known. */
  runs = 0

  add(part: CostPart, spec: RunArm, spent: ResourceUsage): void {
    if (part === 'run') this.runs += 1
    for (const unit of ['usd', 'tokens', 'seconds'] as const) {
      for (const key of [sampleKey(part, unit, spec), sampleKey(part, unit)]) {
        const { sum, count } = this.#sums.get(key) ?? { sum: 0, count: 0 }
        const amount = spent[unit]
        if (amount !== null) this.#sums.set(key, { sum: sum + amount, count: count + 1 })
      }
    }
  }

  /** Adds a stored run that ended as planned, and its grading; other runs do not predict the next. */
  addStored(spec: RunArm, { record, grading }: StoredRun): void {
    const isCopy = record.cached_from !== undefined && !record.cached_from.shared
    if (isCopy || (record.status !== 'completed' && record.status !== 'timed_out')) return
    this.add('run', spec, readRunUsage(record))
    if (grading !== null) this.add('grading', spec, readUsualGradingUsage(grading))
  }

  /** `spec` absent: of all. null: no samples. */
  mean(part: CostPart, unit: UsageUnit, spec?: RunArm): number | null {
    const known = this.#sums.get(sampleKey(part, unit, spec))
    return known === undefined ? null : known.sum / known.count
  }
}

/** A judge's cost depends on the case, not on the configuration. */
function sampleKey(part: CostPart, unit: UsageUnit, spec?: RunArm): string {
  const configuration = part === 'run' ? spec?.configuration : undefined
  return [part, unit, spec?.eval_id, configuration].join(' ')
}

/** Forecasts for the runs of one plan. null: nothing is known. */
export class Forecast {
  readonly now = new RunStats()
  readonly #earlier: RunStats
  readonly #judged: ReadonlySet<number>
  /**
   * Ids of the cases whose gradings are in a batch, at half the price. A judge opens input files with its tools, and judges of other formats
   * ask in their own way, so these are asked directly; and so are runs that turn out to be too long or to have images.
   */
  readonly batched: ReadonlySet<number>

  /** `judgeBatch`: the judge is asked in batches. */
  constructor(
    plan: { cases: Plan['cases']; options: Pick<PlanOptions, 'judge'> },
    earlier: RunStats,
    judgeBatch = false,
  ) {
    this.#earlier = earlier
    const inBatch = plan.cases.filter(({ files, judging }) => files.length === 0 && judging === undefined)
    this.batched = new Set(judgeBatch ? inBatch.map(({ eval_id }) => eval_id) : [])
    const judged = plan.options.judge === null ? [] : plan.cases.filter((one) => one.expectations.length > 0)
    this.#judged = new Set(judged.map(({ eval_id }) => eval_id))
  }

  /** The mean of the same case and configuration now, else earlier, else of all now, else of all earlier. */
  of(part: CostPart, spec: RunArm, unit: UsageUnit): number | null {
    if (part === 'grading' && !this.#judged.has(spec.eval_id)) return 0
    const [now, earlier] = [this.now, this.#earlier]
    const alike = now.mean(part, unit, spec) ?? earlier.mean(part, unit, spec)
    const amount = alike ?? now.mean(part, unit) ?? earlier.mean(part, unit)
    const isHalf = part === 'grading' && unit === 'usd' && this.batched.has(spec.eval_id)
    return amount !== null && isHalf ? amount * batchPrice : amount
  }
}

/** Runs to read, newest benchmarks first: enough for a mean, few enough to be fast. */
const mostRuns = 300
const mostBenchmarks = 10

interface HistoryOptions {
  /** Where to look; absent: where complete runs of the same kind are. */
  collections?: readonly Collection[]
  /** The current benchmark; absent or null: there is none. */
  except?: string | null
  /** The user's prices of today, which earlier runs count with; absent: none. */
  prices?: UserPrices | undefined
}

/** Earlier runs in a workspace with the same engine, model and judge. Unreadable history counts as none. */
export async function readHistory(
  workspace: string,
  { options: { engine, judge } }: { options: Pick<PlanOptions, 'engine' | 'judge'> },
  { collections = ['benchmarks', 'searches', 'nights', 'evals'], except = null, prices }: HistoryOptions = {},
): Promise<RunStats> {
  const observed = new RunStats()
  const found = await Promise.all(collections.map((one) => listBenchmarks(workspace, one)))
  const folders = found
    .flat()
    .filter((folder) => folder !== except)
    .sort((a, b) => path.basename(b).localeCompare(path.basename(a), 'en', { numeric: true }))
  // a different model has a different price
  const isSame = (one: EngineChoice | null, other: EngineChoice | null) => canonicalJson(one) === canonicalJson(other)
  for (const folder of folders.slice(0, mostBenchmarks)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || !isSame(other.options.judge, judge)) continue
    for (const spec of other.runs) {
      if (!isSame(spec.engine, engine)) continue
      if (observed.runs >= mostRuns) return observed
      const stored = await readRun(folder, spec.run_id)
      if (stored !== null) observed.addStored(spec, { ...stored, record: priceRecord(stored.record, spec, prices) })
    }
  }
  return observed
}

/** The record with its cost by the user's prices of today. `engine`: as it was asked for. */
export function priceRecord(
  record: RunRecord,
  { engine }: Pick<RunSpec, 'engine'>,
  prices: UserPrices | undefined,
): RunRecord {
  if (prices === undefined) return record
  const { usage, cost } = record
  const { model, provider } = record.engine
  const asked = { engine: engine.name, asked: engine.model }
  return { ...record, cost: applyUserPrices({ usage, cost, model, provider }, asked, prices).cost }
}

/** The part of the usual price that a batch costs, at Anthropic and OpenAI. */
export const batchPrice = 0.5

/** null: not reported, or not known. Seconds are working time. */
export interface ResourceUsage {
  usd: number | null
  tokens: number | null
  seconds: number | null
}

/** Failures before any model answered: nothing was paid, unless an answer was seen. */
const unpaidFailures: ReadonlySet<FailureKind> = new Set([
  'missing_binary',
  'credentials',
  'unreachable',
  'rate_limited',
  'overloaded',
  'server_error',
  'bad_request',
  'setup',
])

/** The agent and the model that played its user. */
export function readRunUsage(record: RunRecord): ResourceUsage {
  const seconds = record.duration_ms / 1000
  const unpaid = record.status === 'failed' && record.steps === 0 && unpaidFailures.has(record.error.kind)
  const { usage, cost } = record
  const agent = {
    usd: cost?.usd ?? (unpaid ? 0 : null),
    tokens: usage === null ? (unpaid ? 0 : null) : countTokens(usage),
  }
  const user = record.conversation?.user
  if (user === undefined || user.calls === 0) return { ...agent, seconds }
  return { usd: sumKnown([agent.usd, user.cost_usd]), tokens: sumKnown([agent.tokens, user.tokens]), seconds }
}

/** Costs nothing where code decided everything. */
export function readGradingUsage({ judge, timing }: Grading): ResourceUsage {
  const seconds = timing?.grader_duration_seconds ?? null
  if (judge === undefined || judge.calls === 0) return { usd: 0, tokens: 0, seconds }
  return { usd: judge.cost_usd, tokens: judge.tokens, seconds }
}

/** The same at the usual price, as a forecast needs it: a batch costs half. */
export function readUsualGradingUsage(grading: Grading): ResourceUsage {
  const spent = readGradingUsage(grading)
  return grading.judge?.batched && spent.usd !== null ? { ...spent, usd: spent.usd / batchPrice } : spent
}

/** What this benchmark paid: nothing for cached runs. */
export function readPaidRunUsage(record: RunRecord): ResourceUsage {
  return record.cached_from ? zeroUsage : readRunUsage(record)
}

export function readPaidGradingUsage(grading: Grading | null): ResourceUsage {
  return grading === null || grading.judge?.cached_from ? zeroUsage : readGradingUsage(grading)
}

const zeroUsage: ResourceUsage = { usd: 0, tokens: 0, seconds: null }
