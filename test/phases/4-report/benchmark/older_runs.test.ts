/** Which runs are too old to be compared, which of them are run again, what the test for drift finds, and what it does to the verdict. */
import { describe, expect, test } from 'vitest'
import type { OlderRunsFile } from '../../../../schemas/older_runs.ts'
import type { CountedRecord } from '../../../../schemas/run.ts'
import { findStaleBaseline } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import {
  chooseDriftSample,
  chooseRunsAgain,
  smallestDriftP,
  testDrift,
} from '../../../../src/phases/4-report/benchmark/older_runs/runs_again.ts'
import {
  findStaleRuns,
  type RunOrigin,
  type StaleRun,
} from '../../../../src/phases/4-report/benchmark/older_runs/stale_runs.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { record } from '../../../fixtures/record.ts'

const hour = 3_600_000
const now = Date.parse('2026-01-20T12:00:00Z')
const arms = { w: 'with_skill', b: 'without_skill' } as const

/** w1.2: case 1, run 2, with the skill. */
function runNamed(name: string) {
  const [, arm = '', id = '', number = ''] = /^([wb])(\d+)\.(\d+)$/.exec(name) ?? []
  const configuration = arm === 'w' ? arms.w : arms.b
  return { run_id: name, eval_id: Number(id), eval_name: 'x', run_number: Number(number), configuration }
}

type Made = [hoursAgo: number, benchmark?: string | null, model?: string]
const originOf = ([hoursAgo, benchmark = null, model = 'm']: Made): RunOrigin => {
  return { at: now - hoursAgo * hour, benchmark, model, version: null }
}

describe('runs that are too old', () => {
  const stale = (known: Record<string, Made | null>, ageHours: number, at: number | null) => {
    const origins = Object.entries(known).flatMap(([name, made]) => (made ? [[name, originOf(made)] as const] : []))
    const runs = Object.keys(known).map(runNamed)
    const found = findStaleRuns({ runs, origins: new Map(origins), ageMs: ageHours * hour, now: at })
    return found.map(({ run, why }) => `${run.run_id} ${why}`)
  }
  test.each<[string, Record<string, Made | null>, number, string[]]>([
    ['a cached one against one still to come', { 'w1.1': null, 'b1.1': [25, 'old'] }, 24, ['b1.1 age']],
    ['not within the age', { 'w1.1': null, 'b1.1': [23, 'old'] }, 24, []],
    ['a smaller age', { 'w1.1': null, 'b1.1': [23, 'old'] }, 12, ['b1.1 age']],
    ['not where both are of one time', { 'w1.1': [99, 'old'], 'b1.1': [98, 'old'] }, 24, []],
    ['not where both are of one benchmark, however small the age', { 'w1.1': [99, 'old'], 'b1.1': [98, 'old'] }, 0, []],
    [
      'more runs of both, in pairs of one time',
      { 'w1.1': [99, 'old'], 'b1.1': [98, 'old'], 'w1.2': null, 'b1.2': null },
      24,
      [],
    ],
    ['both, where both are old and apart', { 'w1.1': [300, 'a'], 'b1.1': [100, 'b'] }, 24, ['w1.1 age', 'b1.1 age']],
    ['the older, where the other is new', { 'w1.1': [300, 'a'], 'b1.1': [10, 'b'] }, 24, ['w1.1 age']],
    ['a run of this benchmark, resumed after two days', { 'w1.1': null, 'b1.1': [48] }, 24, ['b1.1 age']],
    ['not a run of this benchmark within a day', { 'w1.1': null, 'b1.1': [2] }, 0, []],
    [
      'a cached one on another model',
      { 'w1.1': [1, 'a', 'm-2'], 'b1.1': [2, 'b', 'm-1'] },
      24,
      ['w1.1 engine', 'b1.1 engine'],
    ],
    [
      'not where models vary from run to run',
      { 'w1.1': [1, null, 'm-2'], 'w1.2': [1, null, 'm-1'], 'b1.1': [2, 'b', 'm-1'], 'b1.2': [2, 'b', 'm-2'] },
      24,
      [],
    ],
    ['not a new run on another model', { 'w1.1': [1, null, 'm-2'], 'b1.1': [1, null, 'm-1'] }, 24, []],
  ])('before the start: %s', (_what, known, age, expected) => expect(stale(known, age, now)).toEqual(expected))
  test.each<[string, Record<string, Made | null>, string[]]>([
    ['a run that was not performed is held against nothing', { 'w1.1': null, 'b1.1': [25, 'old'] }, []],
    [
      'one without a partner is held against the newest of its case',
      { 'w1.1': null, 'w1.2': [0], 'b1.1': [25, 'old'] },
      ['b1.1 age'],
    ],
    ['the older of a pair', { 'w1.1': [300, 'a'], 'b1.1': [100, 'b'] }, ['w1.1 age']],
    ['a rerun beside older pairs', { 'w1.1': [48], 'b1.1': [48], 'w1.2': [0] }, []],
  ])('afterwards: %s', (_what, known, expected) => expect(stale(known, 24, null)).toEqual(expected))
})

describe('the sample', () => {
  const staleRuns = (cases: number, runs: number): StaleRun<ReturnType<typeof runNamed>>[] =>
    Array.from({ length: cases * runs }, (_, at) => {
      const run = runNamed(`b${(at % cases) + 1}.${Math.floor(at / cases) + 1}`)
      return { run, at: now - at, why: 'age' as const }
    })
  test.each([
    [1, 1, 1],
    [1, 3, 2],
    [1, 5, 2],
    [2, 3, 2],
    [4, 3, 4],
    [3, 10, 6],
    [30, 1, 20],
    [40, 3, 24],
  ])('of %i cases × %i runs is %i runs', (cases, runs, size) => {
    expect(chooseDriftSample(staleRuns(cases, runs))).toHaveLength(size)
  })
  test('spreads over the cases, the oldest first', () => {
    expect(chooseDriftSample(staleRuns(3, 3)).map(({ run }) => run.run_id)).toEqual(['b3.3', 'b2.3', 'b1.3'])
  })
  test('counts what an earlier start sampled', () => {
    const rest = staleRuns(4, 3).filter(({ run }) => run.run_id !== 'b1.1' && run.run_id !== 'b2.1')
    const chosen = chooseDriftSample(rest, [1, 2])
    expect(chosen.map(({ run }) => run.eval_id).sort()).toEqual([3, 4])
  })
  const decide = (changes: object) =>
    chooseRunsAgain({ stale: staleRuns(4, 3), sampledBefore: [], drifted: new Set(), samples: true, ...changes })
  test.each([
    ['a sample is tested', {}, [4, true]],
    ['all are replaced without sampling', { samples: false }, [12, false]],
    ['all are replaced after drift', { drifted: new Set([arms.b]) }, [12, false]],
    ['a sample of all needs no test', { stale: staleRuns(4, 1) }, [4, false]],
    [
      'another model is no matter of a test',
      { stale: staleRuns(4, 3).map((one) => ({ ...one, why: 'engine' })) },
      [12, false],
    ],
  ])('%s', (_what, changes, expected) => {
    expect(decide(changes).map(({ again, tested }) => [again.length, tested])).toEqual([expected])
  })
})

describe('the test for drift', () => {
  const results = (rates: readonly number[][]) =>
    rates.flatMap((own, at) =>
      own.map((passed, number) => ({
        eval_id: at + 1,
        run_number: number + 1,
        expectations: [{ text: 'x', passed: passed === 1, evidence: '', decided_by: 'check:contains' }],
      })),
    )
  const tested = (fresh: number[][], older: number[][]) =>
    testDrift({ configuration: arms.b, fresh: results(fresh), older: results(older), byRule: true })
  const [met, not] = [
    [1, 1, 1],
    [0, 0, 0],
  ]
  test.each<[string, number[][], number[][], object]>([
    [
      'all new ones pass, no older one did',
      [[1], [1]],
      [not, not],
      { result: 'drift', p_value: 0.0625, checks_flipped: 2 },
    ],
    ['the same', [[1], [0]], [met, not], { result: 'no_drift', p_value: 1, checks_flipped: 0 }],
    ['one of four flips', [[1], [0], [0], [0]], [not, not, not, not], { result: 'no_drift', checks_flipped: 1 }],
    ['too few of both', [[1]], [not], { result: 'not_testable', p_value: null }],
    ['nothing was graded', [], [not], { result: 'not_testable', pass_rate_new: null }],
  ])('%s', (_what, fresh, older, expected) => expect(tested(fresh, older)).toMatchObject(expected))
  test('gives the smallest p that it can give', () => {
    const counts = [1, 2].map((fresh) => ({ fresh, older: 3 }))
    expect(smallestDriftP(counts)).toBeCloseTo(1 / 4 / 10, 10)
  })
  test('raises a false alarm in at most a tenth of unchanged configurations, and finds a change of .5 in most', () => {
    const random = createSeededRandom(7)
    const draw = (rate: number) => (random() < rate ? 1 : 0)
    const alarms = (change: number) => {
      const trials = Array.from({ length: 300 }, () => {
        const rates = Array.from({ length: 8 }, () => random() * 0.5)
        const older = rates.map((rate) => [draw(rate), draw(rate), draw(rate)])
        return tested(
          rates.map((rate) => [draw(rate + change)]),
          older,
        ).result
      })
      return trials.filter((result) => result === 'drift').length / trials.length
    }
    expect(alarms(0)).toBeLessThanOrEqual(0.1)
    expect(alarms(0.5)).toBeGreaterThanOrEqual(0.75)
  })
})

describe('the verdict', () => {
  const tested = { configuration: arms.b, older: 3, sampled: 1, p_value: 1, alpha: 0.1, checks_flipped: 0 }
  const file = (result: 'no_drift' | 'drift' | null): OlderRunsFile => {
    const tests = result === null ? [] : [{ ...tested, result, pass_rate_older: 0, pass_rate_new: 0 }]
    return { schema_version: 1, baseline_age_seconds: 86_400, tests }
  }
  const at = (hoursAgo: number) => new Date(now - hoursAgo * hour).toISOString()
  const found = (olderRuns: OlderRunsFile | null, hoursAgo: number, changes: Record<string, unknown> = {}) => {
    const cached_from = { benchmark: 'old', at: at(hoursAgo) }
    const records: [string, CountedRecord][] = [
      ['w1.1', record({ ended_at: at(0) })],
      ['b1.1', record({ ended_at: at(hoursAgo), cached_from, ...changes })],
    ]
    const grading = { expectations: [], summary: { passed: 0, failed: 0, total: 0, pass_rate: 0 } }
    const results = new Map(records.map(([id, one]) => [id, { record: one, grading, timing: null, metrics: null }]))
    return findStaleBaseline({ planned: ['w1.1', 'b1.1'].map(runNamed), results, baseline: arms.b, olderRuns })
  }
  test('nothing is said where nothing is old', () => expect(found(null, 1)).toBeNull())
  test('nor after a resume, where every run is of this benchmark', () =>
    expect(found(file(null), 1, { cached_from: undefined })).toBeNull())
  test('control: a reused run of the same time is said to be concurrent', () =>
    expect(found(file(null), 1)).toMatchObject({ is_concurrent: true, untested: {} }))
  test('an untested older run', () => {
    const reason = expect.stringContaining('not tested for drift')
    expect(found(null, 25)).toMatchObject({ is_concurrent: false, untested: { without_skill: 1 }, reason })
  })
  test('after a passed test', () =>
    expect(found(file('no_drift'), 25)).toMatchObject({ is_concurrent: true, reason: null }))
  test('after drift', () => expect(found(file('drift'), 25)).toMatchObject({ is_concurrent: false }))
  test('another model, whatever a test found', () => {
    const engine = { name: 'x', version: null, model: 'other', provider: null }
    expect(found(file('no_drift'), 1, { engine })?.reason).toContain('another model')
  })
})
