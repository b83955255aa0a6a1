/** Decides which run may start under a budget and a deadline, in the order asked, and counts what each took. */
import type { Grading } from '../../schemas/grading.ts'
import type { SpentLine, StopKind } from '../../schemas/limits.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import { type Limits, leftUntilDeadline, needText } from './limits.ts'
import type { Forecast, Part } from './observed.ts'
import { type Amounts, type Money, nothing, type Purses } from './purses.ts'
import { paidForGrading, type Spent, spentByGrading, spentByRun } from './spent.ts'

/** What of a run matters here. */
type OpenRun = Pick<RunSpec, 'run_id' | 'eval_id' | 'configuration' | 'run_number'>

type Paid = Pick<Spent, 'usd' | 'tokens'>

export interface SpendingRequest {
  limits: Limits
  purses: Purses
  forecast: Forecast
  /** What never says what it costs: each of it is taken to cost `costPerRun`. */
  silent: ReadonlySet<Part>
  /** The runs that are not made yet, in the order in which they will ask: both arms of a case and run number in a row. */
  open: readonly OpenRun[]
  /** Aborted: nothing is waited for any more. */
  drain: AbortSignal
  now: () => Date
  /** Called once, when something is refused; `what` was not reported, or is what a first run needs. */
  onStop: (kind: StopKind, what?: string) => void
  /** Called for everything that was paid. */
  onPaid?: (line: SpentLine) => void
}

/** What is set aside for a run that was let in. */
interface Hold {
  run: Amounts
  grading: Amounts
  /** Nothing was known of what it takes: it goes alone. */
  isProbe: boolean
}

interface Asked {
  spec: OpenRun
  parts: readonly Part[]
  answer: (isAdmitted: boolean) => void
}

type Decision = 'granted' | 'wait' | StopKind

/**
 * First come, first served: once a run is refused, every later one is too, so that what is made is no choice of the
 * cheap ones. Both arms of a case and run number are let in together; where nothing is spent and both do not fit, one is.
 */
export class Spending {
  readonly #request: SpendingRequest
  readonly #holds = new Map<string, Hold>()
  readonly #queue: Asked[] = []
  readonly #open: Set<OpenRun>
  /** Attempts that were counted before, and those that do not count. */
  readonly #counted = new Set<string>()
  readonly #silent: Set<Part>
  /** Something was let in. */
  #hasBegun = false
  /** Nothing more is let in. */
  #isOver = false
  /** Nothing starts any more, though it was let in. */
  #isHalted = false
  /** Runs that ended for good since. */
  finished = 0

  constructor(request: SpendingRequest) {
    this.#request = request
    this.#open = new Set(request.open)
    this.#silent = new Set(request.silent)
    request.drain.addEventListener('abort', () => this.#pump())
  }

  /** Resolves when it is known whether the run (or only its grading) may start. */
  admit(spec: OpenRun, parts: readonly Part[] = ['run', 'grading']): Promise<boolean> {
    if (this.#holds.has(spec.run_id)) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.#queue.push({ spec, parts, answer: resolve })
      this.#pump()
    })
  }

  /** Whether a run that was let in may start now: those before it may have cost, or taken, more than they were thought to. */
  mayStart(spec: OpenRun): boolean {
    const met = this.#request.purses.exceeded() ?? (this.#isTooLate(spec, ['run', 'grading']) ? 'deadline' : null)
    if (met !== null) this.#stop(met)
    if (met === null && !this.#isHalted) return true
    this.drop(spec)
    return false
  }

  /** Counts an attempt at a run. Gives whether another may follow, where `again` says that one would. */
  attempted(spec: OpenRun, record: RunRecord, again: boolean): boolean {
    const spent = spentByRun(record)
    if (record.status === 'completed' || record.status === 'timed_out') {
      this.#request.forecast.now.add('run', spec, spent)
      this.finished += 1
    }
    if (spent.usd === null) this.#silent.add('run')
    const hold = this.#holds.get(spec.run_id)
    const isCounted = this.#counted.has(attemptOf(record)) // who counted it was killed before it was in place
    if (!isCounted) this.#note('run', record, spent)
    this.#pay(
      again ? nothing : (hold?.run ?? nothing),
      isCounted ? nothing : spent,
      `the cost of ${spec.run_id} was not reported`,
    )
    const exceeded = again ? this.#request.purses.exceeded() : null
    if (exceeded !== null) this.#stop(exceeded)
    const goesOn = again && !this.#isOver
    if (again && !goesOn) this.#request.purses.settle(hold?.run ?? nothing, nothing)
    if (hold !== undefined && !goesOn) this.#holds.set(spec.run_id, { ...hold, run: nothing })
    this.#pump()
    return goesOn
  }

  /**
   * Counts an attempt that does not count as one: what is not known of it is taken to be what the next would take. One that was
   * counted before is not counted again: who counted it may have been killed before it was put away.
   */
  lost(spec: OpenRun, { started_at, ...paid }: Paid & Pick<RunRecord, 'started_at'>): void {
    const { forecast } = this.#request
    const attempt = attemptOf({ run_id: spec.run_id, started_at })
    if (this.#counted.has(attempt)) return
    this.#counted.add(attempt)
    const usd = paid.usd ?? forecast.of('run', spec, 'usd')
    const tokens = paid.tokens ?? forecast.of('run', spec, 'tokens')
    this.#note('run', { run_id: spec.run_id, started_at }, { usd: usd ?? this.#request.limits.costPerRun, tokens })
    this.#pay(nothing, { usd, tokens }, `the cost of an attempt at ${spec.run_id} is not known: its worker was lost`)
    this.#pump()
  }

  /** Counts the grading of a run, null where there is none; the run is over. */
  graded(spec: OpenRun, grading: Grading | null, run: Pick<RunRecord, 'run_id' | 'started_at'>): void {
    const hold = this.#holds.get(spec.run_id)
    this.#holds.delete(spec.run_id)
    if (hold !== undefined) this.#request.purses.settle(hold.run, nothing)
    const spent = paidForGrading(grading)
    if (spent.usd === null) this.#silent.add('grading')
    if (grading !== null) this.#request.forecast.now.add('grading', spec, spentByGrading(grading))
    if (grading?.judge !== undefined) this.#note('grading', run, spent)
    this.#pay(hold?.grading ?? nothing, spent, `the cost of grading ${spec.run_id} was not reported`)
    this.#pump()
  }

  /** Nothing more is started: the time is over. */
  expire(): void {
    this.#stop('deadline')
    this.#isHalted = true
    this.#pump()
  }

  /** Counts what was paid before. */
  begin(line: SpentLine, what: string): void {
    if (line.part === 'run') this.#counted.add(attemptOf(line))
    this.#pay(nothing, line, what)
  }

  /** These need not be made any more: they came from the cache. */
  forget(runIds: ReadonlyMap<string, unknown>): void {
    for (const one of this.#open) if (runIds.has(one.run_id) && this.#open.delete(one)) this.finished += 1
  }

  /** The run ended without anything to count. */
  drop({ run_id }: OpenRun): void {
    const hold = this.#holds.get(run_id)
    this.#holds.delete(run_id)
    if (hold !== undefined) this.#request.purses.settle(sum([hold.run, hold.grading]), nothing)
    this.#pump()
  }

  #note(part: Part, { run_id, started_at }: Pick<RunRecord, 'run_id' | 'started_at'>, { usd, tokens }: Paid): void {
    this.#request.onPaid?.({ run_id, part, started_at, usd, tokens })
  }

  #pay(estimate: Amounts, spent: Paid, what: string): void {
    const usd = spent.usd ?? this.#request.limits.costPerRun
    const { purses } = this.#request
    purses.settle(estimate, { usd: usd ?? estimate.usd, tokens: spent.tokens ?? estimate.tokens })
    const known = { usd, tokens: spent.tokens }
    if (purses.units.every((unit) => known[unit] !== null)) return
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

  #decide({ spec, parts }: Asked): Decision {
    if (this.#holds.has(spec.run_id)) return 'granted'
    if (this.#isTooLate(spec, parts)) return 'deadline'
    if ([...this.#holds.values()].some(({ isProbe }) => isProbe)) return 'wait'
    const block = [spec, ...(parts.includes('run') ? this.#partnersOf(spec) : [])]
    const holds = block.map((one) => [one, this.#holdFor(one, parts)] as const)
    const isKnown = holds.every(([, { isProbe }]) => !isProbe)
    if (!isKnown && this.#holds.size > 0) return 'wait'
    const { purses } = this.#request
    const whole = isKnown ? holds : holds.slice(0, 1)
    const admitted = this.#isUntouched() && !purses.fits(amountsOf(whole)) ? whole.slice(0, 1) : whole
    const lacking = purses.reserve(amountsOf(admitted))
    if (lacking !== null && this.#holds.size > 0) return 'wait'
    if (lacking !== null && !this.#hasBegun) this.#stop(lacking, this.#need(lacking, amountsOf(admitted)))
    if (lacking !== null) return lacking
    this.#hasBegun = true
    for (const [one, hold] of admitted) {
      this.#holds.set(one.run_id, hold)
      this.#open.delete(one)
    }
    return 'granted'
  }

  /** Nothing is spent or set aside. */
  #isUntouched(): boolean {
    const { purses } = this.#request
    return this.#holds.size === 0 && purses.units.every((unit) => purses.spent(unit) === 0)
  }

  #need(kind: StopKind, amounts: Amounts): string {
    const { purses, limits } = this.#request
    const unit = kind === 'budget_tokens' ? 'tokens' : 'usd'
    return needText(unit, { needed: amounts[unit], left: purses.left(unit) }, limits)
  }

  #isTooLate(spec: OpenRun, parts: readonly Part[]): boolean {
    const { limits, forecast, now } = this.#request
    const left = leftUntilDeadline(limits, now())
    if (left === null) return false
    const seconds = parts.map((part) => forecast.of(part, spec, 'seconds') ?? 0)
    const expected = seconds.reduce((total, one) => total + one, 0)
    return expected * 1000 >= left
  }

  /** The same of the other arm, where it is still to be made. */
  #partnersOf(spec: OpenRun): OpenRun[] {
    const { eval_id, run_number } = spec
    return [...this.#open].filter((one) => one !== spec && one.eval_id === eval_id && one.run_number === run_number)
  }

  #holdFor(spec: OpenRun, parts: readonly Part[]): Hold {
    const { purses, forecast, limits } = this.#request
    const unknown = (part: Part, unit: Money) => (unit === 'usd' && this.#silent.has(part) ? limits.costPerRun : null)
    const of = (part: Part, unit: Money) =>
      parts.includes(part) && purses.units.includes(unit) ? (forecast.of(part, spec, unit) ?? unknown(part, unit)) : 0
    const amounts = (part: Part) => ({ usd: of(part, 'usd'), tokens: of(part, 'tokens') })
    const [run, grading] = [amounts('run'), amounts('grading')]
    const isProbe = [run, grading].some(({ usd, tokens }) => usd === null || tokens === null)
    const known = ({ usd, tokens }: ReturnType<typeof amounts>) => ({ usd: usd ?? 0, tokens: tokens ?? 0 })
    return { run: known(run), grading: known(grading), isProbe }
  }
}

function sum(amounts: readonly Amounts[]): Amounts {
  return amounts.reduce((total, one) => ({ usd: total.usd + one.usd, tokens: total.tokens + one.tokens }), nothing)
}

function amountsOf(holds: readonly (readonly [OpenRun, Hold])[]): Amounts {
  return sum(holds.flatMap(([, { run, grading }]) => [run, grading]))
}

function attemptOf({ run_id, started_at }: Pick<SpentLine, 'run_id' | 'started_at'>): string {
  return `${run_id} ${started_at}`
}
