/** Decides which runs may start under a budget and a deadline, in request order, and counts each one's cost. */
import type { Grading } from '../../../schemas/grading.ts'
import type { SpentLine, StopKind } from '../../../schemas/limits.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { CostPart, Forecast } from '../history/run_statistics.ts'
import { type ResourceUsage, readPaidGradingUsage, readRunUsage, readUsualGradingUsage } from '../history/usage.ts'
import { type BudgetAmounts, type BudgetUnit, type SharedBudgets, zeroAmounts } from './budgets.ts'
import { type Limits, msUntilDeadline, needText } from './limits.ts'

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

/** The amounts reserved for an admitted run. */
interface Hold {
  run: BudgetAmounts
  grading: BudgetAmounts
  /** Its cost is not known, so it runs alone. */
  isProbe: boolean
}

interface PendingAdmission {
  spec: OpenRun
  parts: readonly CostPart[]
  answer: (isAdmitted: boolean) => void
}

type AdmissionDecision = 'granted' | 'wait' | StopKind

/**
 * First come, first served: after a refusal every later run is refused too, so that cheap runs are not favoured. Admits both
 * configurations of a case and run number together; if nothing is spent yet and both do not fit, only one.
 */
export class AdmissionControl {
  readonly #request: AdmissionRequest
  readonly #holds = new Map<string, Hold>()
  readonly #queue: PendingAdmission[] = []
  readonly #open: Set<OpenRun>
  /** Attempts already counted, including lost ones. */
  readonly #counted = new Set<string>()
  readonly #silent: Set<CostPart>
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
    request.drain.addEventListener('abort', () => this.#pump())
  }

  /** Resolves when it is known whether the run (or only its grading) may start. */
  admit(spec: OpenRun, parts: readonly CostPart[] = ['run', 'grading']): Promise<boolean> {
    if (this.#holds.has(spec.run_id)) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.#queue.push({ spec, parts, answer: resolve })
      this.#pump()
    })
  }

  /** Whether an admitted run may still start: earlier runs may have cost more, or taken longer, than expected. */
  mayStart(spec: OpenRun): boolean {
    const met = this.#request.budgets.exceeded() ?? (this.#isTooLate(spec, ['run', 'grading']) ? 'deadline' : null)
    if (met !== null) this.#stop(met)
    if (met === null && !this.#isHalted) return true
    this.drop(spec)
    return false
  }

  /** Counts an attempt at a run. Returns whether a retry may follow; `again`: a retry is wanted. */
  attempted(spec: OpenRun, record: RunRecord, again: boolean): boolean {
    const spent = readRunUsage(record)
    if (record.status === 'completed' || record.status === 'timed_out') {
      this.#request.forecast.now.add('run', spec, spent)
      this.finished += 1
    }
    if (spent.usd === null) this.#silent.add('run')
    const hold = this.#holds.get(spec.run_id)
    const isCounted = this.#counted.has(attemptKey(record)) // a killed process counted it before storing it
    if (!isCounted) this.#note('run', record, spent)
    this.#pay(
      again ? zeroAmounts : (hold?.run ?? zeroAmounts),
      isCounted ? zeroAmounts : spent,
      `the cost of ${spec.run_id} was not reported`,
    )
    const exceeded = again ? this.#request.budgets.exceeded() : null
    if (exceeded !== null) this.#stop(exceeded)
    const goesOn = again && !this.#isOver
    if (again && !goesOn) this.#request.budgets.settle(hold?.run ?? zeroAmounts, zeroAmounts)
    if (hold !== undefined && !goesOn) this.#holds.set(spec.run_id, { ...hold, run: zeroAmounts })
    this.#pump()
    return goesOn
  }

  /**
   * Counts a lost attempt, with the forecast for unknown amounts. Skips an attempt that is already counted: its process may have been
   * killed before storing it.
   */
  lost(spec: OpenRun, { started_at, ...paid }: PaidAmounts & Pick<RunRecord, 'started_at'>): void {
    const { forecast } = this.#request
    const attempt = attemptKey({ run_id: spec.run_id, started_at })
    if (this.#counted.has(attempt)) return
    this.#counted.add(attempt)
    const usd = paid.usd ?? forecast.of('run', spec, 'usd')
    const tokens = paid.tokens ?? forecast.of('run', spec, 'tokens')
    this.#note('run', { run_id: spec.run_id, started_at }, { usd: usd ?? this.#request.limits.costPerRun, tokens })
    this.#pay(
      zeroAmounts,
      { usd, tokens },
      `the cost of an attempt at ${spec.run_id} is not known: its worker was lost`,
    )
    this.#pump()
  }

  /** Counts a run's grading (null: there is none); the run is complete. */
  graded(spec: OpenRun, grading: Grading | null, run: Pick<RunRecord, 'run_id' | 'started_at'>): void {
    const hold = this.#holds.get(spec.run_id)
    this.#holds.delete(spec.run_id)
    if (hold !== undefined) this.#request.budgets.settle(hold.run, zeroAmounts)
    const spent = readPaidGradingUsage(grading)
    if (spent.usd === null) this.#silent.add('grading')
    if (grading !== null) this.#request.forecast.now.add('grading', spec, readUsualGradingUsage(grading))
    if (grading?.judge !== undefined) this.#note('grading', run, spent)
    this.#pay(hold?.grading ?? zeroAmounts, spent, `the cost of grading ${spec.run_id} was not reported`)
    this.#pump()
  }

  /** The deadline has passed: starts nothing more. */
  expire(): void {
    this.#stop('deadline')
    this.#isHalted = true
    this.#pump()
  }

  /** Counts earlier payments. */
  begin(line: SpentLine, what: string): void {
    if (line.part === 'run') this.#counted.add(attemptKey(line))
    this.#pay(zeroAmounts, line, what)
  }

  /** Skips runs that came from the cache. */
  forget(runIds: Pick<ReadonlySet<string>, 'has'>): void {
    for (const one of this.#open) if (runIds.has(one.run_id) && this.#open.delete(one)) this.finished += 1
  }

  /** The run ended without any cost. */
  drop({ run_id }: OpenRun): void {
    const hold = this.#holds.get(run_id)
    this.#holds.delete(run_id)
    if (hold !== undefined) this.#request.budgets.settle(sum([hold.run, hold.grading]), zeroAmounts)
    this.#pump()
  }

  #note(
    part: CostPart,
    { run_id, started_at }: Pick<RunRecord, 'run_id' | 'started_at'>,
    { usd, tokens }: PaidAmounts,
  ): void {
    this.#request.onPaid?.({ run_id, part, started_at, usd, tokens })
  }

  #pay(estimate: BudgetAmounts, spent: PaidAmounts, what: string): void {
    const usd = spent.usd ?? this.#request.limits.costPerRun
    const { budgets } = this.#request
    budgets.settle(estimate, { usd: usd ?? estimate.usd, tokens: spent.tokens ?? estimate.tokens })
    const known = { usd, tokens: spent.tokens }
    if (budgets.units.every((unit) => known[unit] !== null)) return
    this.#stop('unreported_cost', what)
    this.#isHalted = true
  }

  #stop(kind: StopKind, what?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.onStop(kind, what)
  }

  #pump(): void {
    for (let asked = this.#queue[0]; asked !== undefined; asked = this.#queue[0]) {
      const decision = this.#isOver || this.#request.drain.aborted ? 'over' : this.#decide(asked)
      if (decision === 'wait') return
      this.#queue.shift()
      if (decision !== 'granted' && decision !== 'over') this.#stop(decision)
      asked.answer(decision === 'granted')
    }
  }

  #decide({ spec, parts }: PendingAdmission): AdmissionDecision {
    if (this.#holds.has(spec.run_id)) return 'granted'
    if (this.#isTooLate(spec, parts)) return 'deadline'
    if ([...this.#holds.values()].some(({ isProbe }) => isProbe)) return 'wait'
    const block = [spec, ...(parts.includes('run') ? this.#partnersOf(spec) : [])]
    const holds = block.map((one) => [one, this.#holdFor(one, parts)] as const)
    const isKnown = holds.every(([, { isProbe }]) => !isProbe)
    if (!isKnown && this.#holds.size > 0) return 'wait'
    const { budgets } = this.#request
    const whole = isKnown ? holds : holds.slice(0, 1)
    const admitted = this.#isUntouched() && !budgets.fits(sumHolds(whole)) ? whole.slice(0, 1) : whole
    const lacking = budgets.reserve(sumHolds(admitted))
    if (lacking !== null && this.#holds.size > 0) return 'wait'
    if (lacking !== null && !this.#hasBegun) this.#stop(lacking, this.#need(lacking, sumHolds(admitted)))
    if (lacking !== null) return lacking
    this.#hasBegun = true
    for (const [one, hold] of admitted) {
      this.#holds.set(one.run_id, hold)
      this.#open.delete(one)
    }
    return 'granted'
  }

  /** Nothing is spent or reserved. */
  #isUntouched(): boolean {
    const { budgets } = this.#request
    return this.#holds.size === 0 && budgets.units.every((unit) => budgets.spent(unit) === 0)
  }

  #need(kind: StopKind, amounts: BudgetAmounts): string {
    const { budgets, limits } = this.#request
    const unit = kind === 'budget_tokens' ? 'tokens' : 'usd'
    return needText(unit, { needed: amounts[unit], left: budgets.left(unit) }, limits)
  }

  #isTooLate(spec: OpenRun, parts: readonly CostPart[]): boolean {
    const { limits, forecast, now } = this.#request
    const left = msUntilDeadline(limits, now())
    if (left === null) return false
    const seconds = parts.map((part) => forecast.of(part, spec, 'seconds') ?? 0)
    const expected = seconds.reduce((total, one) => total + one, 0)
    return expected * 1000 >= left
  }

  /** The same case and run number in the other configuration, if still to do. */
  #partnersOf(spec: OpenRun): OpenRun[] {
    const { eval_id, run_number } = spec
    return [...this.#open].filter((one) => one !== spec && one.eval_id === eval_id && one.run_number === run_number)
  }

  #holdFor(spec: OpenRun, parts: readonly CostPart[]): Hold {
    const { budgets, forecast, limits } = this.#request
    const unknown = (part: CostPart, unit: BudgetUnit) =>
      unit === 'usd' && this.#silent.has(part) ? limits.costPerRun : null
    const of = (part: CostPart, unit: BudgetUnit) =>
      parts.includes(part) && budgets.units.includes(unit) ? (forecast.of(part, spec, unit) ?? unknown(part, unit)) : 0
    const amounts = (part: CostPart) => ({ usd: of(part, 'usd'), tokens: of(part, 'tokens') })
    const [run, grading] = [amounts('run'), amounts('grading')]
    const isProbe = [run, grading].some(({ usd, tokens }) => usd === null || tokens === null)
    const known = ({ usd, tokens }: ReturnType<typeof amounts>) => ({ usd: usd ?? 0, tokens: tokens ?? 0 })
    return { run: known(run), grading: known(grading), isProbe }
  }
}

function sum(amounts: readonly BudgetAmounts[]): BudgetAmounts {
  return amounts.reduce((total, one) => ({ usd: total.usd + one.usd, tokens: total.tokens + one.tokens }), zeroAmounts)
}

function sumHolds(holds: readonly (readonly [OpenRun, Hold])[]): BudgetAmounts {
  return sum(holds.flatMap(([, { run, grading }]) => [run, grading]))
}

function attemptKey({ run_id, started_at }: Pick<SpentLine, 'run_id' | 'started_at'>): string {
  return `${run_id} ${started_at}`
}
