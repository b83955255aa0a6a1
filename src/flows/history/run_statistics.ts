/** Averages the cost and duration of runs and gradings, and forecasts those of the next. */
import type { Plan, PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import { batchPrice } from '../../engines/batch/batch_api.ts'
import { estimateAmount, Samples } from '../../jobs/budget/estimate.ts'
import type { StoredRun } from '../../store/store.ts'
import { type ResourceUsage, readRunUsage, readUsualGradingUsage } from './usage.ts'

export type CostPart = 'run' | 'grading'
export type UsageUnit = keyof ResourceUsage

type RunArm = Pick<RunSpec, 'eval_id' | 'configuration'>

export class RunStats {
  readonly #samples = new Map<string, Samples>()

  /** Runs whose cost or duration is known. */
  runs = 0

  add(part: CostPart, spec: RunArm, spent: ResourceUsage): void {
    if (part === 'run') this.runs += 1
    for (const unit of units) {
      const amount = spent[unit]
      if (amount !== null) this.of(part, unit).add({ key: sampleKey(part, spec), amount })
    }
  }

  /** Adds a stored run that ended as planned, and its grading; other runs do not predict the next. */
  addStored(spec: RunArm, { record, grading }: StoredRun): void {
    if (record.status !== 'completed' && record.status !== 'timed_out') return
    this.add('run', spec, readRunUsage(record))
    if (grading !== null) this.add('grading', spec, readUsualGradingUsage(grading))
  }

  of(part: CostPart, unit: UsageUnit): Samples {
    const name = `${part} ${unit}`
    const samples = this.#samples.get(name) ?? new Samples()
    this.#samples.set(name, samples)
    return samples
  }
}

const units = ['usd', 'tokens', 'seconds'] as const

/** A judge's cost depends on the case, not on the configuration. */
function sampleKey(part: CostPart, { eval_id, configuration }: RunArm): string {
  return part === 'run' ? `${eval_id} ${configuration}` : String(eval_id)
}

/** Forecasts for the runs of one plan: first from this benchmark, then from earlier ones. null: nothing is known. */
export class Forecast {
  readonly now = new RunStats()
  readonly #earlier: RunStats
  readonly #judged: ReadonlySet<number>
  readonly #batched: ReadonlySet<number>

  /** `batched`: ids of the cases whose gradings are in a batch, at half the price. */
  constructor(
    plan: { cases: Plan['cases']; options: Pick<PlanOptions, 'judge'> },
    earlier: RunStats,
    batched: ReadonlySet<number> = new Set(),
  ) {
    this.#earlier = earlier
    this.#batched = batched
    const judged = plan.options.judge === null ? [] : plan.cases.filter((one) => one.expectations.length > 0)
    this.#judged = new Set(judged.map(({ eval_id }) => eval_id))
  }

  of(part: CostPart, spec: RunArm, unit: UsageUnit): number | null {
    if (part === 'grading' && !this.#judged.has(spec.eval_id)) return 0
    const amount = estimateAmount(sampleKey(part, spec), this.now.of(part, unit), this.#earlier.of(part, unit))
    const isHalf = part === 'grading' && unit === 'usd' && this.#batched.has(spec.eval_id)
    return amount !== null && isHalf ? amount * batchPrice : amount
  }

  /** For a run and its grading together. */
  ofBoth(spec: RunArm, unit: UsageUnit): number | null {
    const [run, grading] = [this.of('run', spec, unit), this.of('grading', spec, unit)]
    return run === null || grading === null ? null : run + grading
  }
}
