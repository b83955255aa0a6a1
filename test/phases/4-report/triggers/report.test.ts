/** Numbers of a measurement: worked by hand; errors are in no rate. */
import { describe, expect, test } from 'vitest'
import type { TriggerRun } from '../../../../schemas/triggers.ts'
import { measureSaving } from '../../../../src/phases/4-report/triggers/early_stop_savings.ts'
import { computeTriggerMetrics } from '../../../../src/phases/4-report/triggers/metrics.ts'
import { findTriggerConfusions, toTriggerResult } from '../../../../src/phases/4-report/triggers/result.ts'
import { toTriggerRun } from '../../../../src/phases/4-report/triggers/run_entry.ts'
import { savingText } from '../../../../src/phases/4-report/triggers/trigger_text.ts'
import { record as aRecord } from '../../../fixtures/record.ts'

const run: TriggerRun = {
  run_number: 1,
  run_id: 'x',
  outcome: 'triggered',
  via: null,
  at_step: null,
  before: [],
  others: [],
  stopped: false,
  at_limit: false,
  error: null,
  attempts: 1,
  duration_ms: 1000,
  tokens: null,
  cost: null,
}
const letters = { t: 'triggered', n: 'not_triggered', e: 'error', m: 'missing' } as const

/** The runs as letters: t n e m. */
function result(should_trigger: boolean, runs: string, query_id = 1) {
  const asked = { query_id, id: null, query: 'q', should_trigger, split: null, note: null }
  const made = [...runs].map((letter) => ({ ...run, outcome: letters[letter as keyof typeof letters] }))
  return toTriggerResult(asked, made, 0.5)
}

test.each([
  [true, 'ttt', 1, true],
  [true, 'ttn', 2 / 3, true],
  [true, 'tn', 0.5, true],
  [false, 'tn', 0.5, false],
  [true, 'tnn', 1 / 3, false],
  [false, 'nnn', 0, true],
  [true, 'tee', 1, true],
  [true, 'eee', null, null],
  [false, 'eem', null, null],
])('should %s, runs %s: rate %s, pass %s', (should, runs, rate, pass) => {
  expect(result(should, runs)).toMatchObject({ trigger_rate: rate, pass })
})

test('errors and what was not made are counted apart', () => {
  expect(result(true, 'tnem')).toMatchObject({ triggers: 1, runs: 2, errors: 1, missing: 1 })
})

test('recall, precision and the rest', () => {
  const results = [
    result(true, 'ttt'),
    result(true, 'tnn'),
    result(false, 'nnn'),
    result(false, 'tnn'),
    result(true, 'eee'),
  ]
  const made = computeTriggerMetrics(results)
  expect(made.matrix).toEqual({ true_positive: 4, false_negative: 2, false_positive: 1, true_negative: 5 })
  expect(made.recall).toMatchObject({ value: 2 / 3, n: 2 })
  expect(made.precision).toMatchObject({ value: 0.8, n: 3 })
  expect(made.false_trigger_rate).toMatchObject({ value: 1 / 6, n: 2 })
  expect(made.accuracy).toMatchObject({ value: 3 / 4, n: 4 })
})

test('intervals count queries, not runs: more runs of the same queries make them no narrower', () => {
  const width = (runs: string) => {
    const recall = computeTriggerMetrics([result(true, runs), result(true, runs)]).recall
    return (recall?.ci_high ?? 0) - (recall?.ci_low ?? 0)
  }
  expect(width('tttttt')).toBe(width('t'))
})

test('confusions: the worst first, with the skills that were read instead', () => {
  const missed = result(true, 'tnn', 2)
  missed.query_runs[1] = { ...run, outcome: 'not_triggered', others: ['docx'] }
  expect(
    findTriggerConfusions([result(true, 'ttt', 1), missed, result(false, 'ttt', 3), result(true, 'eee', 4)]),
  ).toMatchObject([
    { query_id: 3, kind: 'wrongly_triggered', trigger_rate: 1, instead: [] },
    { query_id: 2, kind: 'missed', instead: [{ skill: 'docx', runs: 1 }] },
  ])
})

describe('a run', () => {
  const of = (record: object | null, events: object[] = []) =>
    toTriggerRun(
      { run_id: 'x', run_number: 1, record: record as never, events: events as never },
      { skill: 'tidy', stop: 'skill_read' },
    )
  const done = aRecord()
  const with_ = (more: object, skill: object) => ({ ...done, ...more, skill: { ...done.skill, ...skill } })
  const failed = { status: 'failed', error: { kind: 'rate_limited', message: '429' } }

  test.each<[string, object | null, string]>([
    ['that read it triggered', with_({ status: 'completed' }, { read: true }), 'triggered'],
    ['that did not, did not', with_({ status: 'completed' }, { read: false }), 'not_triggered'],
    ['that failed is an error', with_(failed, { read: false }), 'error'],
    ['whose time was up is an error', with_({ status: 'timed_out' }, { read: false }), 'error'],
    ['that can not be seen is an error', with_({ status: 'completed' }, { read: null }), 'error'],
    ['that was not made is missing', null, 'missing'],
    [
      'that loaded another skill of the name is an error though it read one',
      with_({ status: 'failed', error: { kind: 'contaminated', message: '' } }, { read: true }),
      'error',
    ],
  ])('%s', (_, record, outcome) => expect(of(record).outcome).toBe(outcome))

  test('what it did before: other tools, other skills; the call that read it is not among them', () => {
    const events = [
      { type: 'tool_call', name: 'Bash', input: {} },
      { type: 'tool_call', name: 'Read', input: {} },
      { type: 'skill_read', skill: 'docx', via: 'Read', step: 2 },
      { type: 'tool_call', name: 'Skill', input: { skill: 'tidy' } },
      { type: 'skill_read', skill: 'tidy', via: 'Skill', step: 3 },
      { type: 'tool_call', name: 'Write', input: {} },
    ]
    expect(of(with_({ status: 'completed' }, { read: true }), events)).toMatchObject({
      via: 'Skill',
      at_step: 3,
      before: ['Bash', 'Read'],
      others: ['docx'],
    })
  })
})

describe('saving', () => {
  const cost = (usd: number) => ({ usd, source: 'agent' as const })
  const stopped = { ...run, stopped: true, cost: cost(0.01) }
  const other = { ...run, outcome: 'not_triggered' as const, cost: cost(0.04) }
  test('is held against runs that did not trigger, or better against earlier ones that were let go on', () => {
    expect(measureSaving([stopped, stopped, other], { measured: [], benched: [] })).toMatchObject({
      stopped: 2,
      unit: 'usd',
      basis: 'runs that did not trigger',
      saved_share: 0.75,
    })
    const earlier = [{ ...run, cost: cost(0.1) }]
    expect(measureSaving([stopped, other], { measured: earlier, benched: [] })).toMatchObject({
      mean_whole: 0.1,
      saved_share: 0.9,
    })
  })
  test('is held against a benchmark where no measurement let runs go on, before runs that did not trigger', () => {
    const benched = [
      { ...run, cost: cost(0.2) },
      { ...run, outcome: 'not_triggered' as const, cost: cost(9) },
    ]
    const saving = measureSaving([stopped, other], { measured: [], benched })
    expect(saving).toMatchObject({ basis: 'benchmark runs that read the skill', mean_whole: 0.2, saved_share: 0.95 })
    expect(saving && savingText(saving)).toContain('benchmark runs that read the skill took $0.20: about 95%')
    const measured = [{ ...run, cost: cost(0.1) }]
    expect(measureSaving([stopped, other], { measured, benched })).toMatchObject({ mean_whole: 0.1 })
    const none = [{ ...run, outcome: 'not_triggered' as const, cost: cost(9) }]
    expect(measureSaving([stopped, other], { measured: [], benched: none })?.basis).toBe('runs that did not trigger')
  })
  test('is not known without either, and none where nothing was stopped', () => {
    const alone = measureSaving([stopped], { measured: [], benched: [] })
    expect(alone).toMatchObject({ basis: 'none', saved: null })
    expect(alone && savingText(alone)).toMatch(/the amount saved is unknown/)
    expect(measureSaving([other], { measured: [], benched: [] })).toBeNull()
  })
  test('is in a unit that all of them know', () => {
    expect(measureSaving([{ ...stopped, cost: null }, other], { measured: [], benched: [] })?.unit).toBe('seconds')
  })
})
