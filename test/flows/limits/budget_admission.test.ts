/** Who may start under a budget: overshoot is bounded by what is in flight, arms stay together, what is not known fails closed. */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grading } from '../../../schemas/grading.ts'
import type { SpentLine, StopKind } from '../../../schemas/limits.ts'
import { Forecast, RunStats } from '../../../src/flows/history/forecast.ts'
import { AdmissionControl } from '../../../src/flows/limits/budget_admission.ts'
import { noLimits, SharedBudgets } from '../../../src/flows/limits/limits.ts'
import { record } from '../../fixtures/record.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

const arms = ['with_skill', 'without_skill'] as const

function runsOf(cases: number, numbers: number) {
  return Array.from({ length: numbers }, (_, at) => at + 1).flatMap((run_number) =>
    Array.from({ length: cases }, (_, at) => at + 1).flatMap((eval_id) =>
      arms.map((configuration) => {
        return { run_id: `${eval_id}/${configuration}/${run_number}`, eval_id, configuration, run_number }
      }),
    ),
  )
}

type Run = ReturnType<typeof runsOf>[number]

interface Setting {
  runs: readonly Run[]
  /** Dollars of a run; null: it does not say. */
  cost: (run: Run) => number | null
  budget: number | null
  width: number
  /** How many attempts fail before the one that counts; each costs the same. */
  failures?: (run: Run) => number
  costPerRun?: number
  silent?: ('run' | 'grading')[]
  /** Dollars of each judge's call; absent: nothing is judged. */
  judged?: number
  deadline?: Date
  budgets?: SharedBudgets
  earlier?: RunStats
}

const judge = { name: 'anthropic', model: 'haiku' }

function judgedPlan(isJudged: boolean) {
  const cases = [1, 2, 3, 4].map((eval_id) => ({
    ...suiteCase(),
    eval_id,
    expectations: isJudged ? [{ text: 'it is tidy' }] : [],
  }))
  return { cases, options: { judge: isJudged ? judge : null } }
}

function gradedBy(cost_usd: number) {
  const summary = { passed: 0, failed: 0, total: 0, pass_rate: 0 }
  const asked = { engine: 'anthropic', model: 'haiku', calls: 1, tokens: 900, cost_usd }
  return grading.parse({ expectations: [], summary, judge: asked })
}

/** Plays a benchmark: `width` workers take runs in order. */
async function play(setting: Setting) {
  const { runs, cost, budget, width, failures = () => 0, earlier = new RunStats() } = setting
  const limits = { ...noLimits, budget, costPerRun: setting.costPerRun ?? null, deadline: setting.deadline ?? null }
  const budgets = setting.budgets ?? new SharedBudgets(limits)
  const stops: [StopKind, string?][] = []
  const forecast = new Forecast(judgedPlan(setting.judged !== undefined), earlier)
  const drain = new AbortController().signal
  const now = () => new Date('2026-01-15T10:00:00Z')
  const onStop = (...stop: [StopKind, string?]) => void stops.push(stop)
  const spending = new AdmissionControl({
    limits,
    budgets,
    forecast,
    silent: new Set(setting.silent),
    open: runs,
    drain,
    now,
    onStop,
  })
  const inFlight = new Map<string, number>()
  const seen = { started: [] as Run[], total: 0, atLast: 0, most: 0, stops }
  const waiting = [...runs]
  const work = async () => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      if (!(await spending.admit(run)) || !spending.mayStart(run)) continue
      const usd = cost(run)
      inFlight.set(run.run_id, usd ?? 0)
      seen.started.push(run)
      seen.most = Math.max(seen.most, inFlight.size)
      seen.atLast = [...inFlight.values()].reduce((sum, one) => sum + one, 0)
      for (let attempt = 0; ; attempt += 1) {
        for (let wait = (run.eval_id * 7 + run.run_number * 3 + attempt) % 5; wait >= 0; wait -= 1) await turn()
        seen.total += usd ?? 0
        const again = attempt < failures(run)
        const status = again ? { status: 'failed', error: { kind: 'crash', message: '' } } : {}
        const made = record({ ...run, ...status, cost: usd === null ? null : { usd, source: 'agent' } })
        if (!spending.attempted(run, made, again)) break
        seen.atLast += usd ?? 0
      }
      inFlight.delete(run.run_id)
      const graded = setting.judged === undefined ? null : gradedBy(setting.judged)
      seen.total += setting.judged ?? 0
      spending.graded(run, graded, record(run))
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  return seen
}

const prices = fc.record({ seed: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 8, maxLength: 8 }) })

/** Cases differ, and so do runs of a case. */
const costBy = (seed: readonly number[]) => (run: Run) =>
  0.1 + (seed[run.eval_id % 4] ?? 0) / 10 + (seed[4 + (run.run_number % 4)] ?? 0) / 50

describe('a budget', () => {
  const setting = { width: fc.integer({ min: 1, max: 8 }), budget: fc.double({ min: 0.5, max: 40, noNaN: true }) }
  test('is passed at most by what was in flight when the last run was let in; nobody waits for ever', async () => {
    await fc.assert(
      fc.asyncProperty(prices, setting.width, setting.budget, async ({ seed }, width, budget) => {
        const runs = runsOf(4, 6)
        const { total, atLast, most, started, stops } = await play({ runs, cost: costBy(seed), budget, width })
        expect(total).toBeLessThanOrEqual(budget + atLast + 1e-6)
        expect(most).toBeLessThanOrEqual(width)
        expect(started.length === runs.length).toBe(stops.length === 0)
      }),
      { numRuns: 60 },
    )
  })
  test('what is made, where costs are as expected, is a beginning of the order, both arms of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        prices,
        setting.width,
        fc.double({ min: 5, max: 20, noNaN: true }),
        async ({ seed }, width, budget) => {
          const runs = runsOf(4, 6)
          const cost = (run: Run) => 0.1 + (seed[run.eval_id % 4] ?? 0) / 10
          const earlier = new RunStats()
          for (const run of runsOf(4, 1)) earlier.add('run', run, { usd: cost(run), tokens: 1, seconds: 1 })
          const { started } = await play({ runs, cost, budget, width, earlier })
          const ids = new Set(started.map(({ run_id }) => run_id))
          expect(runs.slice(0, started.length).every(({ run_id }) => ids.has(run_id))).toBe(true)
          expect(started.length % 2).toBe(0)
        },
      ),
      { numRuns: 40 },
    )
  })
  test('retries count too', async () => {
    await fc.assert(
      fc.asyncProperty(prices, setting.width, setting.budget, async ({ seed }, width, budget) => {
        const failures = (run: Run) => (run.eval_id === 2 ? 2 : 0)
        const { total, atLast } = await play({ runs: runsOf(4, 6), cost: costBy(seed), budget, width, failures })
        expect(total).toBeLessThanOrEqual(budget + atLast + 1e-6)
      }),
      { numRuns: 40 },
    )
  })
  test('with right estimates nothing is passed, and what fits is spent', async () => {
    const { total, started } = await play({ runs: runsOf(4, 6), cost: () => 1, budget: 13, width: 8 })
    expect([total, started.length]).toEqual([12, 12])
  })
  test('what does not fit beside work in flight waits for what that really takes', async () => {
    const dear = new RunStats()
    for (const run of runsOf(4, 1)) dear.add('run', run, { usd: 2, tokens: 1, seconds: 1 })
    const { started } = await play({ runs: runsOf(4, 6), cost: () => 1, budget: 13, width: 8, earlier: dear })
    expect(started).toHaveLength(12)
  })
  test('negative control: without a limit the bound breaks', async () => {
    class Bottomless extends SharedBudgets {
      override findLacking() {
        return null
      }
      override findExceeded() {
        return null
      }
    }
    const budgets = new Bottomless({ ...noLimits, budget: 13 })
    const { total, atLast } = await play({ runs: runsOf(4, 6), cost: () => 1, budget: 13, width: 8, budgets })
    expect(total).toBeGreaterThan(13 + atLast)
  })
  test('of which nothing is known starts one run alone; with a history all at once', async () => {
    const first: Run[] = []
    const cost = (run: Run) => {
      first.push(run)
      return 100
    }
    expect((await play({ runs: runsOf(4, 1), cost, budget: 10, width: 8 })).started).toHaveLength(1)
    const earlier = new RunStats()
    for (const run of runsOf(4, 1)) earlier.add('run', run, { usd: 1, tokens: 1, seconds: 1 })
    expect((await play({ runs: runsOf(4, 1), cost: () => 1, budget: 10, width: 8, earlier })).most).toBe(8)
  })
})

test('ten runs at $0.10 fit into $1', async () => {
  const earlier = new RunStats()
  for (const run of runsOf(4, 1)) earlier.add('run', run, { usd: 0.1, tokens: 1, seconds: 1 })
  expect((await play({ runs: runsOf(4, 3), cost: () => 0.1, budget: 1, width: 10, earlier })).started).toHaveLength(10)
})

describe('a forecast is the mean of', () => {
  const statsOf = (...amounts: [number, number][]) => {
    const stats = new RunStats()
    for (const [eval_id, usd] of amounts) {
      stats.add('run', { eval_id, configuration: 'with_skill' }, { usd, tokens: null, seconds: null })
    }
    return stats
  }
  test.each<[string, [number, number][], [number, number][], number | null]>([
    [
      'the same now',
      [
        [1, 1],
        [1, 3],
        [2, 9],
      ],
      [[1, 5]],
      2,
    ],
    ['the same earlier', [[2, 9]], [[1, 5]], 5],
    ['anything now', [[2, 9]], [[3, 5]], 9],
    [
      'anything earlier',
      [],
      [
        [3, 5],
        [4, 7],
      ],
      6,
    ],
    ['nothing', [], [], null],
  ])('%s', (_what, now, earlier, expected) => {
    const forecast = new Forecast(judgedPlan(false), statsOf(...earlier))
    Object.assign(forecast, { now: statsOf(...now) })
    expect(forecast.of('run', { eval_id: 1, configuration: 'with_skill' }, 'usd')).toBe(expected)
  })
})

describe('a cost that is not reported', () => {
  const cost = (run: Run) => (run.run_number === 2 ? null : 1)
  test('stops it: nothing more is started, and it says which run', async () => {
    const { started, stops } = await play({ runs: runsOf(2, 6), cost, budget: 100, width: 1 })
    expect(started).toHaveLength(5)
    expect(stops).toEqual([['unreported_cost', 'the cost of 1/with_skill/2 was not reported']])
  })
  test('counts what --cost-per-run says', async () => {
    const { started, stops } = await play({ runs: runsOf(2, 6), cost, budget: 100, width: 2, costPerRun: 7 })
    expect([started.length, stops]).toEqual([24, []])
    const less = await play({ runs: runsOf(2, 6), cost, budget: 12, width: 1, costPerRun: 7 })
    expect(less.started.length).toBeLessThan(8)
    expect(less.stops.map(([kind]) => kind)).toEqual(['budget'])
  })
  test('is not set aside at that price where the engine or judge says it: one goes alone', async () => {
    const silent: Setting['silent'] = ['run']
    const plays = { runs: runsOf(1, 1), cost: () => null, budget: 1.1, width: 2, costPerRun: 0.3 }
    const { started, stops, total } = await play({ ...plays, silent, judged: 0.01 })
    expect([started.length, stops, total]).toEqual([2, [], 0.02])
    const priced = await play({ ...plays, runs: runsOf(4, 2), cost: () => 0.01, width: 8 })
    expect([priced.started.length, priced.stops]).toEqual([16, []])
  })
  test('the bound holds with it, whatever is said and whatever is not', async () => {
    await fc.assert(
      fc.asyncProperty(prices, fc.integer({ min: 1, max: 8 }), fc.boolean(), async ({ seed }, width, isSilent) => {
        const cost = costBy(seed)
        const silent: Setting['silent'] = isSilent ? ['run'] : []
        const { total, atLast } = await play({ runs: runsOf(4, 6), cost, budget: 3, width, costPerRun: 0.5, silent })
        expect(total).toBeLessThanOrEqual(3 + atLast + 1e-6)
      }),
      { numRuns: 40 },
    )
  })
  test('one run starts where both arms do not fit and nothing is spent; where none fits, it says what is needed', async () => {
    const silent: Setting['silent'] = ['run']
    const plays = { runs: runsOf(2, 1), cost: () => null, width: 4, costPerRun: 0.3, silent }
    expect((await play({ ...plays, budget: 0.5 })).started).toHaveLength(1)
    const { started, stops } = await play({ ...plays, budget: 0.2 })
    expect([started, stops]).toEqual([[], [['budget', 'the next run needs $0.30, and $0.20 is left']]])
    expect((await play({ ...plays, budget: 0.3 })).started).toHaveLength(1)
    const cheaper = await play({ ...plays, budget: 0.5, cost: () => 0.1 })
    expect(cheaper.started).toHaveLength(4)
  })
  test('without a budget matters to nobody', async () => {
    const deadline = new Date('2026-01-16T10:00:00Z')
    expect((await play({ runs: runsOf(2, 6), cost, budget: null, deadline, width: 2 })).started).toHaveLength(24)
  })
})

describe('a deadline', () => {
  const earlier = new RunStats()
  for (const run of runsOf(4, 1)) earlier.add('run', run, { usd: 1, tokens: 1, seconds: 60 * run.eval_id })
  const until = (minutes: number) => new Date(Date.parse('2026-01-15T10:00:00Z') + minutes * 60_000)
  test('lets in what will probably end before it; control: a later one lets in all', async () => {
    const plays = { runs: runsOf(4, 1), cost: () => 1, budget: null, width: 1, earlier }
    const { started, stops } = await play({ ...plays, deadline: until(2.5) })
    expect(started.map(({ eval_id }) => eval_id)).toEqual([1, 1, 2, 2])
    expect(stops).toEqual([['deadline', undefined]])
    expect((await play({ ...plays, deadline: until(9) })).started).toHaveLength(8)
  })
})

test.each([
  ['came from the cache holds no money', true],
  ['is still to be made holds its own', false],
])('a partner that %s', async (_what, isForgotten) => {
  const runs = runsOf(2, 1)
  const earlier = new RunStats()
  for (const run of runs) earlier.add('run', run, { usd: 1, tokens: 1, seconds: 1 })
  const limits = { ...noLimits, budget: 2 }
  const forecast = new Forecast({ cases: [suiteCase()], options: { judge: null } }, earlier)
  const request = {
    limits,
    budgets: new SharedBudgets(limits),
    forecast,
    silent: new Set<never>(),
    open: runs,
    now: () => new Date(),
    onStop: () => {},
  }
  const spending = new AdmissionControl({ ...request, drain: new AbortController().signal })
  const [made, taken] = arms.map((arm) => runs.filter((run) => run.configuration === arm))
  if (isForgotten) spending.forget(new Map(taken?.map((run) => [run.run_id, run])))
  const letIn = new Set<string>()
  for (const run of made ?? []) void spending.admit(run).then((yes) => yes && letIn.add(run.run_id))
  await turn()
  expect(letIn.size).toBe(isForgotten ? 2 : 1)
})

test('an attempt is paid for once, also where who counted it was killed before it was in place, or put away', () => {
  const limits = { ...noLimits, budget: 100, costPerRun: 2 }
  const lines: SpentLine[] = []
  const [spec] = runsOf(1, 1)
  if (spec === undefined) throw new Error('no run')
  const begin = () => {
    const budgets = new SharedBudgets(limits)
    const forecast = new Forecast({ cases: [suiteCase()], options: { judge: null } }, new RunStats())
    const [drain, now] = [new AbortController().signal, () => new Date()]
    const noted = { onStop: () => {}, onPaid: (line: SpentLine) => void lines.push(line) }
    const spending = new AdmissionControl({
      limits,
      budgets,
      forecast,
      silent: new Set(),
      open: [spec],
      drain,
      now,
      ...noted,
    })
    for (const line of [...lines]) spending.begin(line, 'the cost')
    return { spending, budgets }
  }
  const lost = (at: string) => ({ started_at: `2026-01-15T10:00:0${at}Z`, usd: null, tokens: null })
  const first = begin()
  first.spending.lost(spec, lost('1'))
  first.spending.lost(spec, lost('2'))
  expect(first.budgets.spent('usd')).toBe(4)
  const second = begin()
  second.spending.lost(spec, lost('2'))
  expect(second.budgets.spent('usd')).toBe(4)
  const made = record({ ...spec, started_at: '2026-01-15T10:00:03Z', cost: { usd: 3, source: 'agent' } })
  second.spending.attempted(spec, made, false)
  expect(second.budgets.spent('usd')).toBe(7)
  const third = begin()
  third.spending.attempted(spec, made, false)
  expect(third.budgets.spent('usd')).toBe(7)
  expect(lines).toHaveLength(3)
})
