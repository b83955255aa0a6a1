/** Numbers of a measurement: worked by hand; errors are in no rate. */
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { type TriggerRun, type Triggers, triggers } from '../../../schemas/triggers.ts'
import { buildMatrix } from '../../../src/features/triggers/all/build_matrix.ts'
import { buildTriggers, computeTriggerMetrics, measureSaving } from '../../../src/features/triggers/report/report.ts'
import {
  findTriggerConfusions,
  type TriggerRunSource,
  toTriggerResult,
  toTriggerRun,
} from '../../../src/features/triggers/report/results.ts'
import { triggerReports } from '../../../src/features/triggers/report/texts.ts'
import { record as aRecord } from '../../fixtures/record.ts'
import { triggersFile } from '../../viewer/artefacts.ts'

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

test('a measurement names queries without an answer; that of many skills is complete when no run is missing', () => {
  const engine = { name: 'codex', model: null }
  const options = { engine, runs: 1, timeout_seconds: 30, max_turns: 3 }
  const skill = { name: 'tidy', description: 'd', sha256: 'a' }
  const plan = { skill, options, runs: [], warnings: [], candidate_configuration: 'with_skill' } as unknown as Plan
  const asked = { query_id: 1, id: null, query: 'q', should_trigger: true, split: null, note: null }
  const source = (at: number, record: RunRecord | null) => ({ run_id: `r${at}`, run_number: at, record, events: [] })
  const done = source(1, aRecord({ skill: { offered: true, read: false, read_at_step: null } }))
  const input = { plan, stop: null, createdAt: '2026-01-15T11:00:00Z' }
  const measure = (...runs: TriggerRunSource[]) => {
    const set = { path: 's.json', sha256: 'b', format: 'skill-creator', warnings: [] } as Triggers['set']
    const basis = { measured: [], benched: [] }
    const given = { ...input, set, basis, runs: new Map([[1, runs]]), queries: [asked], threshold: 0.5, stopReason: '' }
    return buildTriggers(given).warnings
  }
  expect(measure(source(1, null))).toEqual(['1 queries without any answer'])
  expect(measure(done)).toEqual([])
  const listing = { description: 'cut', others: 41 } as const
  const cut = source(1, aRecord({ skill: { offered: true, read: false, read_at_step: null, listing } }))
  expect(measure(cut)).toEqual([expect.stringContaining('cut in 1 of 1 run: the agent has 41 other skills to list')])
  const many = (...runs: TriggerRunSource[]) => {
    const queries = [{ query_id: 1, query: 'q', asked_with: 'tidy', owners: ['tidy'], not_of: [] }]
    const skills = [{ ...skill, set: 's.json' }]
    return buildMatrix({
      ...input,
      skills,
      queries,
      overlaps: [],
      runs: new Map([[1, runs]]),
      name: 'n',
      skillsFolder: 'f',
    })
  }
  expect([many(done).complete, many(done, source(2, null)).complete]).toEqual([true, false])
})

test('JUnit: a test case takes as long as the runs of its query', () => {
  const measured = triggers.parse(JSON.parse(triggersFile((text) => text)))
  const xml = triggerReports.junit({ triggers: measured, gates: [] })
  expect(xml).toContain('<testcase name="1 merge these two PDFs" classname="pdf.should trigger" time="3.600"/>')
})

test('errors and what was not made are counted apart', () => {
  expect(result(true, 'tnem')).toMatchObject({ triggers: 1, runs: 2, errors: 1, missing: 1 })
})

test('recall, precision and the rest', () => {
  const wanted = ['ttt', 'tnn', 'eee'].map((runs) => result(true, runs))
  const unwanted = ['nnn', 'tnn'].map((runs) => result(false, runs))
  const made = computeTriggerMetrics([...wanted, ...unwanted])
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

test('without queries of a kind, or without triggers, a rate is not known', () => {
  expect(computeTriggerMetrics([result(false, 'nnn')])).toMatchObject({ recall: null, precision: null })
  expect(computeTriggerMetrics([])).toMatchObject({ accuracy: null })
})

test('confusions: the worst first, with the skills that were read instead', () => {
  const missed = result(true, 'tnn', 2)
  missed.query_runs[1] = { ...run, outcome: 'not_triggered', others: ['docx'] }
  const results = [result(true, 'ttt', 1), missed, result(false, 'ttt', 3), result(true, 'eee', 4)]
  expect(findTriggerConfusions(results)).toMatchObject([
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
    ['that failed after it had read it triggered', with_(failed, { read: true }), 'triggered'],
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
    const found = { via: 'Skill', at_step: 3, before: ['Bash', 'Read'], others: ['docx'] }
    expect(of(with_({ status: 'completed' }, { read: true }), events)).toMatchObject(found)
  })
})

describe('saving', () => {
  const cost = (usd: number) => ({ usd, source: 'agent' as const })
  const stopped = { ...run, stopped: true, cost: cost(0.01) }
  const other = { ...run, outcome: 'not_triggered' as const, cost: cost(0.04) }
  test('is held against runs that did not trigger, or better against earlier ones that were let go on', () => {
    const basis = 'runs that did not trigger'
    const saving = measureSaving([stopped, stopped, other], { measured: [], benched: [] })
    expect(saving).toMatchObject({ stopped: 2, unit: 'usd', basis, saved_share: 0.75 })
    const earlier = measureSaving([stopped, other], { measured: [{ ...run, cost: cost(0.1) }], benched: [] })
    expect(earlier).toMatchObject({ mean_whole: 0.1, saved_share: 0.9 })
  })
  test('is held against a benchmark where no measurement let runs go on, before runs that did not trigger', () => {
    const benched = [
      { ...run, cost: cost(0.2) },
      { ...run, outcome: 'not_triggered' as const, cost: cost(9) },
    ]
    const saving = measureSaving([stopped, other], { measured: [], benched })
    expect(saving).toMatchObject({ basis: 'benchmark runs that read the skill', mean_whole: 0.2, saved_share: 0.95 })
    const measured = [{ ...run, cost: cost(0.1) }]
    expect(measureSaving([stopped, other], { measured, benched })).toMatchObject({ mean_whole: 0.1 })
    const none = [{ ...run, outcome: 'not_triggered' as const, cost: cost(9) }]
    expect(measureSaving([stopped, other], { measured: [], benched: none })?.basis).toBe('runs that did not trigger')
  })
  test('is not known without either, and none where nothing was stopped', () => {
    const alone = measureSaving([stopped], { measured: [], benched: [] })
    expect(alone).toMatchObject({ basis: 'none', saved: null })
    expect(measureSaving([other], { measured: [], benched: [] })).toBeNull()
  })
  test('is in a unit that all of them know', () => {
    expect(measureSaving([{ ...stopped, cost: null }, other], { measured: [], benched: [] })?.unit).toBe('seconds')
  })
})
