/** Decides which runs may start under a budget and a deadline, in request order, and counts each one's cost. */
import pLimit from 'p-limit'
import type { Grading } from '../../../schemas/grading.ts'
import type { SpentLine, StopKind } from '../../../schemas/limits.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { CostPart, Forecast } from '../history/forecast.ts'
import { type ResourceUsage, readPaidGradingUsage, readRunUsage, readUsualGradingUsage } from '../history/forecast.ts'
import {
  addAmounts,
  type BudgetAmounts,
  type BudgetUnit,
  type Limits,
  msUntilDeadline,
  needText,
  type SharedBudgets,
  zeroAmounts,
} from './limits.ts'

/** The relevant fields of a run. */
type OpenRun = Pick<RunSpec, 'run_id' | 'eval_id' | 'configuration' | 'run_number'>

type PaidAmounts = Pick<ResourceUsage, 'usd' | 'tokens'>

export interface AdmissionRequest {
  limits: Limits
  budgets: SharedBudgets
  forecast: Forecast
  /** Parts that never report a cost: each counts as `costPerRun`. */
  silent: ReadonlySet<CostPart>
  /** Runs still to do, in request order: both configurations of a case and run number in a row. */
  open: readonly OpenRun[]
  /** Aborted: stop waiting. */
  drain: AbortSignal
  now: () => Date
  /** Called once, at the first refusal; `what`: what was not reported, or what a first run needs. */
  onStop: (kind: StopKind, what?: string) => void
  /** Called for every payment. */
  onPaid?: (line: SpentLine) => void
}

const allParts: readonly CostPart[] = ['run', 'grading']

/**
 * First come, first served: after a refusal every later run is refused too, so that cheap runs are not favoured. Admits both
 * configurations of a case and run number together; if nothing is spent yet and both do not fit, only one.
 */
export class AdmissionControl {
  readonly #request: AdmissionRequest
  readonly #open: Set<OpenRun>
  /** Attempts already counted, including lost ones. */
  readonly #counted = new Set<string>()
  readonly #silent: Set<CostPart>
  readonly #queue = pLimit(1)
  /** Lets the first of the queue look again. */
  #wake = () => {}
  /** Ids of admitted runs that have not ended. */
  readonly #admitted = new Set<string>()
  /** The one of them whose cost is not known, so it runs alone. */
  #probe: string | null = null
  /** Something was admitted. */
  #hasBegun = false
  /** Admits nothing more. */
  #isOver = false
  /** Starts nothing more, even if admitted. */
  #isHalted = false
  /** Runs that ended for good since then. */
  finished = 0

  constructor(request: AdmissionRequest) {
    this.#request = request
    this.#open = new Set(request.open)
    this.#silent = new Set(request.silent)
    request.drain.addEventListener('abort', () => this.#wake())
  }

  /** Resolves when it is known whether the run (or only its grading) may start. */
  async admit(spec: OpenRun, parts = allParts): Promise<boolean> {
    if (this.#admitted.has(spec.run_id)) return true
    return await this.#queue(async () => {
      for (;;) {
        if (this.#admitted.has(spec.run_id)) return true
        if (this.#isOver || this.#request.drain.aborted) return false
        const decision = this.#decide(spec, parts)
        if (decision === 'granted') return true
        if (decision !== 'wait') this.#stop(decision)
        else
          await new Promise<void>((wake) => {
            this.#wake = wake
          })
      }
    })
  }

  /** Whether an admitted run may still start: earlier runs may have cost more, or taken longer, than expected. */
  mayStart(spec: OpenRun): boolean {
    const met = this.#request.budgets.findExceeded() ?? (this.#isTooLate(spec, allParts) ? 'deadline' : null)
    if (met !== null) this.#stop(met)
    if (met === null && !this.#isHalted) return true
    this.drop(spec)
    return false
  }

  /** Counts an attempt at a run. Returns whether a retry may follow; `again`: a retry is wanted. */
  attempted(spec: OpenRun, record: RunRecord, again: boolean): boolean {
    const { budgets, forecast } = this.#request
    const spent = readRunUsage(record)
    if (record.status === 'completed' || record.status === 'timed_out') {
      forecast.now.add('run', spec, spent)
      this.finished += 1
    }
    if (spent.usd === null) this.#silent.add('run')
    const isCounted = this.#counted.has(attemptKey(record)) // a killed process counted it before storing it
    if (!isCounted) this.#note('run', record, spent)
    const expected = again ? zeroAmounts : budgets.release(spec.run_id)
    this.#pay(isCounted ? zeroAmounts : spent, expected, `the cost of ${spec.run_id} was not reported`)
    const exceeded = again ? budgets.findExceeded() : null
    if (exceeded !== null) this.#stop(exceeded)
    const goesOn = again && !this.#isOver
    if (!goesOn) budgets.release(spec.run_id)
    this.#wake()
    return goesOn
  }

  /**
   * Counts a lost attempt, with the forecast for unknown amounts. Skips an attempt that is already counted: its process may have been
   * killed before storing it.
   */
  lost(spec: OpenRun, { started_at, ...paid }: PaidAmounts & Pick<RunRecord, 'started_at'>): void {
    const { forecast, limits } = this.#request
    const attempt = { run_id: spec.run_id, started_at }
    if (this.#counted.has(attemptKey(attempt))) return
    this.#counted.add(attemptKey(attempt))
    const usd = paid.usd ?? forecast.of('run', spec, 'usd') ?? limits.costPerRun
    const tokens = paid.tokens ?? forecast.of('run', spec, 'tokens')
    this.#note('run', attempt, { usd, tokens })
    this.#pay(
      { usd, tokens },
      zeroAmounts,
      `the cost of an attempt at ${spec.run_id} is not known: its worker was lost`,
    )
    this.#wake()
  }

  /** Counts a run's grading (null: there is none); the run is complete. */
  graded(spec: OpenRun, grading: Grading | null, run: Pick<RunRecord, 'run_id' | 'started_at'>): void {
    const expected = this.#end(spec)
    const spent = readPaidGradingUsage(grading)
    if (spent.usd === null) this.#silent.add('grading')
    if (grading !== null) this.#request.forecast.now.add('grading', spec, readUsualGradingUsage(grading))
    if (grading?.judge !== undefined) this.#note('grading', run, spent)
    this.#pay(spent, expected, `the cost of grading ${spec.run_id} was not reported`)
    this.#wake()
  }

  /** The deadline has passed: starts nothing more. */
  expire(): void {
    this.#stop('deadline')
    this.#isHalted = true
    this.#wake()
  }

  /** Counts earlier payments. */
  begin(line: SpentLine, what: string): void {
    if (line.part === 'run') this.#counted.add(attemptKey(line))
    this.#pay(line, zeroAmounts, what)
  }

  /** Skips runs that came from the cache. */
  forget(runIds: Pick<ReadonlySet<string>, 'has'>): void {
    for (const one of this.#open) if (runIds.has(one.run_id) && this.#open.delete(one)) this.finished += 1
  }

  /** The run ended without any cost. */
  drop(spec: OpenRun): void {
    this.#end(spec)
    this.#wake()
  }

  /** The run is not in progress any more. Returns what was reserved for its grading. */
  #end({ run_id }: OpenRun): BudgetAmounts {
    const { budgets } = this.#request
    this.#admitted.delete(run_id)
    if (this.#probe === run_id) this.#probe = null
    budgets.release(run_id)
    return budgets.release(gradingKey(run_id))
  }

  #note(
    part: CostPart,
    { run_id, started_at }: Pick<RunRecord, 'run_id' | 'started_at'>,
    { usd, tokens }: PaidAmounts,
  ): void {
    this.#request.onPaid?.({ run_id, part, started_at, usd, tokens })
  }

  /** Where an amount is not known, the expected one counts, and nothing more starts. */
  #pay(spent: PaidAmounts, expected: BudgetAmounts, what: string): void {
    const { budgets, limits } = this.#request
    const known = { usd: spent.usd ?? limits.costPerRun, tokens: spent.tokens }
    budgets.spend({ usd: known.usd ?? expected.usd, tokens: known.tokens ?? expected.tokens })
    if (budgets.units.every((unit) => known[unit] !== null)) return
    this.#stop('unreported_cost', what)
    this.#isHalted = true
  }

  #stop(kind: StopKind, what?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.onStop(kind, what)
  }

  #decide(spec: OpenRun, parts: readonly CostPart[]): 'granted' | 'wait' | StopKind {
    if (this.#isTooLate(spec, parts)) return 'deadline'
    if (this.#probe !== null) return 'wait'
    const { budgets } = this.#request
    const both = [spec, ...(parts.includes('run') ? this.#partnersOf(spec) : [])].map((one) => this.#expect(one, parts))
    const isKnown = both.every((one) => one.isKnown)
    const isAlone = this.#admitted.size === 0
    if (!isKnown && !isAlone) return 'wait'
    const isUnspent = isAlone && budgets.units.every((unit) => budgets.spent(unit) === 0)
    const isOne = !isKnown || (isUnspent && budgets.findLacking(sum(both)) !== null)
    const admitted = isOne ? both.slice(0, 1) : both
    const needed = sum(admitted)
    const lacking = budgets.findLacking(needed)
    if (lacking !== null && !isAlone) return 'wait'
    if (lacking !== null && !this.#hasBegun) {
      const unit = lacking === 'budget_tokens' ? 'tokens' : 'usd'
      this.#stop(lacking, needText(unit, { needed: needed[unit], left: budgets.left(unit) }))
    }
    if (lacking !== null) return lacking
    this.#hasBegun = true
    if (!isKnown) this.#probe = spec.run_id
    for (const one of admitted) {
      this.#admitted.add(one.spec.run_id)
      budgets.reserve(one.spec.run_id, one.run)
      budgets.reserve(gradingKey(one.spec.run_id), one.grading)
      this.#open.delete(one.spec)
    }
    return 'granted'
  }

  #isTooLate(spec: OpenRun, parts: readonly CostPart[]): boolean {
    const { limits, forecast, now } = this.#request
    const left = msUntilDeadline(limits, now())
    if (left === null) return false
    const seconds = parts.map((part) => forecast.of(part, spec, 'seconds') ?? 0)
    return seconds.reduce((total, one) => total + one, 0) * 1000 >= left
  }

  /** The same case and run number in the other configuration, if still to do. */
  #partnersOf(spec: OpenRun): OpenRun[] {
    const { eval_id, run_number } = spec
    return [...this.#open].filter((one) => one !== spec && one.eval_id === eval_id && one.run_number === run_number)
  }

  #expect(spec: OpenRun, parts: readonly CostPart[]) {
    const { budgets, forecast, limits } = this.#request
    let isKnown = true
    const amount = (part: CostPart, unit: BudgetUnit) => {
      if (!parts.includes(part) || !budgets.units.includes(unit)) return 0
      const assumed = unit === 'usd' && this.#silent.has(part) ? limits.costPerRun : null
      const expected = forecast.of(part, spec, unit) ?? assumed
      if (expected === null) isKnown = false
      return expected ?? 0
    }
    const [run, grading] = [
      { usd: amount('run', 'usd'), tokens: amount('run', 'tokens') },
      { usd: amount('grading', 'usd'), tokens: amount('grading', 'tokens') },
    ]
    return { spec, run, grading, isKnown }
  }
}

function sum(runs: readonly { run: BudgetAmounts; grading: BudgetAmounts }[]): BudgetAmounts {
  return runs.flatMap(({ run, grading }) => [run, grading]).reduce(addAmounts, zeroAmounts)
}

function gradingKey(runId: string): string {
  return `grading of ${runId}`
}

function attemptKey({ run_id, started_at }: Pick<SpentLine, 'run_id' | 'started_at'>): string {
  return `${run_id} ${started_at}`
}
