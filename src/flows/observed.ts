/** What runs and gradings took so far, and what the next of them will probably take. */
import type { Plan, PlanOptions, RunSpec } from '../../schemas/plan.ts'
import { estimateOf, Samples } from '../jobs/estimate.ts'
import type { StoredRun } from '../store/store.ts'
import { type Spent, spentByGrading, spentByRun } from './spent.ts'

export type Part = 'run' | 'grading'
export type Unit = keyof Spent

type RunOf = Pick<RunSpec, 'eval_id' | 'configuration'>

export class Observed {
  readonly #samples = new Map<string, Samples>()

  /** The runs whose cost or time is known. */
  runs = 0

  add(part: Part, spec: RunOf, spent: Spent): void {
    if (part === 'run') this.runs += 1
    for (const unit of units) {
      const amount = spent[unit]
      if (amount !== null) this.of(part, unit).add({ key: keyOf(part, spec), amount })
    }
  }

  /** A run that ended as planned and its grading, as they are on disk; others say nothing about the next. */
  addStored(spec: RunOf, { record, grading }: StoredRun): void {
    if (record.status !== 'completed' && record.status !== 'timed_out') return
    this.add('run', spec, spentByRun(record))
    if (grading !== null) this.add('grading', spec, spentByGrading(grading))
  }

  of(part: Part, unit: Unit): Samples {
    const name = `${part} ${unit}`
    const samples = this.#samples.get(name) ?? new Samples()
    this.#samples.set(name, samples)
    return samples
  }
}

const units = ['usd', 'tokens', 'seconds'] as const

/** A judge sees a case, whichever arm it is of. */
function keyOf(part: Part, { eval_id, configuration }: RunOf): string {
  return part === 'run' ? `${eval_id} ${configuration}` : String(eval_id)
}

/** Estimates for the runs of one plan: from this benchmark first, then from earlier ones. Null: nothing is known. */
export class Forecast {
  readonly now = new Observed()
  readonly #earlier: Observed
  readonly #judged: ReadonlySet<number>

  constructor(plan: { cases: Plan['cases']; options: Pick<PlanOptions, 'judge'> }, earlier: Observed) {
    this.#earlier = earlier
    const judged = plan.options.judge === null ? [] : plan.cases.filter((one) => one.expectations.length > 0)
    this.#judged = new Set(judged.map(({ eval_id }) => eval_id))
  }

  of(part: Part, spec: RunOf, unit: Unit): number | null {
    if (part === 'grading' && !this.#judged.has(spec.eval_id)) return 0
    return estimateOf(keyOf(part, spec), this.now.of(part, unit), this.#earlier.of(part, unit))
  }

  /** A run with its grading. */
  ofBoth(spec: RunOf, unit: Unit): number | null {
    const [run, grading] = [this.of('run', spec, unit), this.of('grading', spec, unit)]
    return run === null || grading === null ? null : run + grading
  }
}
