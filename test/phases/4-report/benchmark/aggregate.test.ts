/** benchmark.json from runs and gradings: the reference's fields and numbers, without the reference's mistakes. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import { listBenchmarkFacts } from '../../../../src/phases/4-report/benchmark/provenance.ts'
import { findReleasedRuns } from '../../../../src/phases/4-report/benchmark/released_runs.ts'
import { arm, inputOf, type Line } from '../fixture.ts'

/** So many passed of 20. */
const of20 = (passed: number) => '+'.repeat(passed) + '-'.repeat(20 - passed)
const both = (candidate: readonly string[], baseline: readonly string[]): Line[] => [
  ...arm(1, 'with_skill', candidate),
  ...arm(1, 'without_skill', baseline),
]
const made = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(lines, changes))

describe("the reference's example", () => {
  const example = made([
    ...arm(1, 'with_skill', [of20(16)], { seconds: 32, tokens: 3200 }),
    ...arm(2, 'with_skill', [of20(17)], { seconds: 45, tokens: 4100 }),
    ...arm(3, 'with_skill', [of20(18)], { seconds: 58, tokens: 4100 }),
    ...arm(1, 'without_skill', [of20(6)], { seconds: 24, tokens: 1800 }),
    ...arm(2, 'without_skill', [of20(7)], { seconds: 30, tokens: 2000 }),
    ...arm(3, 'without_skill', [of20(8)], { seconds: 42, tokens: 2500 }),
  ])
  test('summary of the candidate', () => {
    expect(example.run_summary.with_skill).toEqual({
      pass_rate: { mean: 0.85, stddev: 0.05, min: 0.8, max: 0.9 },
      time_seconds: { mean: 45, stddev: 13, min: 32, max: 58 },
      tokens: { mean: 3800, stddev: 519.6152, min: 3200, max: 4100 },
    })
  })
  test('difference as strings', () => {
    expect(example.run_summary.delta).toEqual({ pass_rate: '+0.50', time_seconds: '+13.0', tokens: '+1700' })
  })
  test('an entry for each arm, candidate first', () => {
    const names = Object.keys(example.run_summary).filter((name) => name !== 'delta')
    expect(names).toEqual(['with_skill', 'without_skill'])
    expect(example.metadata).toMatchObject({ evals_run: [1, 2, 3], runs_planned: 6, runs_used: 6 })
  })
  test('a run has its numbers nested under result', () => {
    expect(example.runs[0]?.result).toEqual({
      ...{ pass_rate: 0.8, passed: 16, failed: 4, total: 20, time_seconds: 32, tokens: 3200 },
      ...{ tool_calls: 3, errors: 0, cost_usd: 0.01, skill_read: true },
    })
  })
})

test('the row of a case says that it is in quarantine; its runs are not in the rate', () => {
  const cases = [1, 2].map((eval_id) => {
    const named = { eval_id, eval_key: null, eval_name: `case-${eval_id}`, cannot_run: null }
    return { ...named, expectations: ['some'], checks: [], ...(eval_id === 2 && { quarantine: 'flaky' }) }
  })
  const found = made([...arm(1, 'with_skill', ['+']), ...arm(2, 'with_skill', ['-'])], { cases, baseline: null })
  expect(found.cases?.map(({ quarantine }) => quarantine)).toEqual([undefined, 'flaky'])
  expect(found.run_summary.with_skill?.pass_rate.mean).toBe(1)
})

describe('order', () => {
  test('eval 2 before 10, candidate before baseline, run 2 before 10', () => {
    const lines: Line[] = [10, 2].flatMap((evalId) =>
      [10, 2].flatMap((run) => [
        { evalId, arm: 'old_skill' as const, run, verdicts: '+' },
        { evalId, arm: 'new_skill' as const, run, verdicts: '+' },
      ]),
    )
    const { runs } = made(lines, { candidate: 'new_skill', baseline: 'old_skill' })
    const ordered = ['2', '10'].flatMap((id) =>
      ['new_skill', 'old_skill'].flatMap((name) => [`${id} ${name} 2`, `${id} ${name} 10`]),
    )
    expect(runs.map((run) => `${run.eval_id} ${run.configuration} ${run.run_number}`)).toEqual(ordered)
  })
})

describe('difference', () => {
  test.each([
    ['with_skill', 'without_skill', '+0.50'],
    ['new_skill', 'old_skill', '+0.50'],
    ['with_skill', 'old_skill', '+0.50'],
    ['without_skill', 'with_skill', '-0.50'],
  ] as const)('%s against %s is candidate minus baseline', (candidate, baseline, delta) => {
    const rates = { with_skill: '++', new_skill: '++', without_skill: '+-', old_skill: '+-' }
    const lines = [...arm(1, candidate, [rates[candidate]]), ...arm(1, baseline, [rates[baseline]])]
    expect(made(lines, { candidate, baseline }).run_summary.delta?.pass_rate).toBe(delta)
  })
  test('is never a negative zero', () => {
    expect(made(both(['+-'], ['+-'])).run_summary.delta).toEqual({
      pass_rate: '+0.00',
      time_seconds: '+0.0',
      tokens: '+0',
    })
  })
  test('an arm without graded runs: no entry, no difference', () => {
    const lines = [...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', [null], { record: 'none' })]
    expect(Object.keys(made(lines).run_summary)).toEqual(['with_skill'])
  })
  test('one arm by plan: no difference, complete', () => {
    const one = made(arm(1, 'with_skill', ['+', '-']), { baseline: null })
    expect([Object.keys(one.run_summary), one.complete, one.cases?.[0]?.delta]).toEqual([['with_skill'], true, null])
  })
  test('no run at all: nothing summarised, incomplete', () => {
    const none = made([])
    expect([none.run_summary, none.runs, none.complete, none.counts?.planned]).toEqual([{}, [], false, 0])
  })
})

describe('numbers of a run', () => {
  const counted = {
    ...{ tool_calls: {}, total_tool_calls: 0, total_steps: 1, errors_encountered: 0 },
    ...{ files_created: [], output_chars: 0, transcript_chars: 9 },
  }
  const result = (line: Partial<Line>) =>
    made([{ evalId: 1, arm: 'with_skill', run: 1, verdicts: '+', ...line }]).runs[0]?.result
  test("counts come from the list, not from the grading's summary", () => {
    expect(result({ verdicts: '++-' })).toMatchObject({ passed: 2, failed: 1, total: 3, pass_rate: 0.6667 })
  })
  test('time is the agent’s, whatever the grading says', () => {
    expect(result({ seconds: 23.3, grading: { timing: { total_duration_seconds: 191 } } })?.time_seconds).toBe(23.3)
  })
  test('time from the record where timing.json is missing', () => {
    const line: Line = { evalId: 1, arm: 'with_skill', run: 1, verdicts: '+', seconds: 7 }
    const input = inputOf([line])
    const results = new Map([...input.results].map(([id, one]) => [id, { ...one, timing: null }]))
    expect(aggregate({ ...input, results }).runs[0]?.result.time_seconds).toBe(7)
  })
  test('tokens are input, output, cache read and cache write, never characters', () => {
    expect(result({ tokens: 84_852 })?.tokens).toBe(84_852)
  })
  test('unknown tokens are absent from the run', () => expect(result({ tokens: null })).not.toHaveProperty('tokens'))
  test('unknown tool calls are absent, errors 0', () => {
    expect(result({ metrics: null })).toMatchObject({ errors: 0 })
    expect(result({ metrics: null })).not.toHaveProperty('tool_calls')
    expect(result({ metrics: { ...counted, tools_shown: false } })).not.toHaveProperty('tool_calls')
    expect(result({ metrics: counted })).toMatchObject({ tool_calls: 0 })
  })
  test('notes are what the agent flagged, then what was not decided', () => {
    const user_notes_summary = { uncertainties: ['2023 data'], needs_review: ['row 4'], workarounds: ['plain text'] }
    const [run] = made([{ evalId: 1, arm: 'with_skill', run: 1, verdicts: '+?', grading: { user_notes_summary } }]).runs
    expect(run?.notes).toEqual([
      '2023 data',
      'row 4',
      'plain text',
      'Not decided: The report names every region (no usable answer after one repair)',
    ])
  })
})

test('tokens that one arm does not report are left out of its summary and of the difference', () => {
  const { run_summary } = made([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['+'], { tokens: null })])
  expect(run_summary.without_skill).not.toHaveProperty('tokens')
  expect(run_summary.delta).toEqual({ pass_rate: '+0.00', time_seconds: '+0.0' })
})

describe('runs in no rate', () => {
  const error = { kind: 'rate_limited', message: '429' }
  test.each<[string, Partial<Line>, Partial<AggregateInput>, string, string]>([
    ['failed', { record: { status: 'failed', error } }, {}, 'failed', 'failed:rate_limited'],
    [
      'failed, yet graded',
      { verdicts: '--', record: { status: 'failed', error } },
      {},
      'failed',
      'failed:rate_limited',
    ],
    ['cancelled', { record: { status: 'cancelled' } }, {}, 'cancelled', 'cancelled'],
    [
      'timed out, to be excluded',
      { verdicts: '--', record: { status: 'timed_out' } },
      { onTimeout: 'exclude' },
      'timed_out',
      'timed_out',
    ],
    ['not made', { record: 'none' }, {}, 'missing', 'missing'],
    ['without a grading', {}, {}, 'missing', 'missing'],
    ['undecided by the judge', { verdicts: '??' }, {}, 'judge_error', 'judge_error'],
  ])('%s', (_, line, changes, reason, counted) => {
    const lines: Line[] = [...both(['+'], ['-']), { evalId: 1, arm: 'with_skill', run: 2, verdicts: null, ...line }]
    const { counts, excluded_runs, complete, run_summary } = made(lines, changes)
    expect(counts).toEqual({ planned: 3, used: 2, ungraded: 0, excluded: { [counted]: 1 } })
    expect(excluded_runs).toMatchObject([{ eval_id: 1, configuration: 'with_skill', run_number: 2, reason }])
    expect(complete).toBe(reason === 'timed_out')
    expect(run_summary.with_skill?.pass_rate).toMatchObject({ mean: 1, min: 1 })
  })
  test('a time-out counts as failed expectations by default', () => {
    const lines = [
      ...arm(1, 'with_skill', ['--'], { record: { status: 'timed_out' } }),
      ...arm(1, 'without_skill', ['+-']),
    ]
    expect(made(lines)).toMatchObject({ complete: true, run_summary: { delta: { pass_rate: '-0.50' } } })
  })
  describe('a partly judged run', () => {
    test('is in no rate where others of its case were judged wholly: a judge that fails in one arm proves nothing', () => {
      const { runs, excluded_runs, complete, run_summary } = made(both(['+??', '+??'], ['+--', '+--']))
      expect(runs.map(({ configuration }) => configuration)).toEqual(['without_skill', 'without_skill'])
      const message = '2 of 3 expectations undecided: no usable answer after one repair'
      expect(excluded_runs).toMatchObject([
        { configuration: 'with_skill', run_number: 1, reason: 'judge_error', message, judge_errors: [{}, {}] },
        { run_number: 2, reason: 'judge_error' },
      ])
      expect([complete, run_summary.delta]).toEqual([false, undefined])
    })
    test('alone among others is left out', () => {
      const { runs, counts } = made(both(['+-', '+?', '+-'], ['--', '--', '--']))
      expect(runs.map(({ run_number }) => run_number)).toEqual([1, 3, 1, 2, 3])
      expect(counts?.excluded).toEqual({ judge_error: 1 })
    })
    test('counts as far as it was decided where the same is undecided in every run: all are rated on the same', () => {
      const { runs, complete, counts } = made(both(['+-?', '++?'], ['+-?', '--?']))
      expect(runs[0]?.result).toMatchObject({ passed: 1, total: 2, pass_rate: 0.5, undecided: 1 })
      expect([complete, counts?.used]).toEqual([false, 4])
    })
    test('is not asked about runs of other cases, nor of those that failed', () => {
      const first = [...arm(1, 'with_skill', ['+?', null]), ...arm(1, 'without_skill', ['+?'])]
      const lines = [...first, ...arm(2, 'with_skill', ['++']), ...arm(2, 'without_skill', ['+-'])]
      expect(made(lines).counts).toMatchObject({ used: 4, excluded: { missing: 1 } })
    })
  })
  test('a case without criteria is ungraded by design, also where it timed out', () => {
    const cases = [{ eval_id: 1, eval_key: null, eval_name: 'case-1', cannot_run: null, expectations: [], checks: [] }]
    const { counts, complete, excluded_runs } = made(arm(1, 'with_skill', [null, null]), { cases })
    expect([counts, complete]).toEqual([{ planned: 2, used: 0, ungraded: 2, excluded: {} }, true])
    expect(excluded_runs?.map((run) => run.reason)).toEqual(['ungraded', 'ungraded'])
    const late = arm(1, 'with_skill', [null], { record: { status: 'timed_out' } })
    expect(made(late, { cases, onTimeout: 'exclude' }).counts).toMatchObject({ ungraded: 1, excluded: {} })
  })
  test('a case that cannot run has no planned run and is named', () => {
    const cases = [
      { eval_id: 1, eval_key: null, eval_name: 'case-1', cannot_run: null },
      { eval_id: 2, eval_key: 'b', eval_name: 'broken', cannot_run: 'no such file' },
    ]
    const { metadata, complete, notes } = made(both(['+'], ['-']), { cases })
    expect([metadata.cannot_run, complete]).toEqual([[{ eval_id: 2, reason: 'no such file' }], true])
    expect(notes).toContain("Can't run: case 2 (broken): no such file.")
  })
})

test('a row of a case has both arms side by side', () => {
  const arms = {
    with_skill: { runs: 2, all_passed: 1, pass_rate: { mean: 0.75, stddev: 0.3536 } },
    without_skill: { runs: 1, all_passed: 0, pass_rate: { mean: 0 } },
  }
  expect(made(both(['++', '+-'], ['--'])).cases).toMatchObject([{ eval_id: 1, arms, delta: 0.75 }])
})

describe('cost', () => {
  test('sums what is known and counts what is not; failed runs were paid for too', () => {
    const failed = {
      record: { status: 'failed', error: { kind: 'crash', message: 'exit 1' }, cost: { usd: 0.5, source: 'agent' } },
    }
    const lines = [
      ...arm(1, 'with_skill', ['+']),
      ...arm(1, 'without_skill', ['+'], { record: { cost: null } }),
      ...arm(2, 'with_skill', [null], failed),
    ]
    expect(made(lines).cost).toEqual({ agent_usd: 0.51, judge_usd: 0.004, unknown_runs: 1 })
  })
  test('is null, not 0, when nothing is known', () => {
    const judge = { engine: 'x', model: null, calls: 1, tokens: null, cost_usd: null }
    const { cost } = made(arm(1, 'with_skill', ['+'], { record: { cost: null }, grading: { judge } }))
    expect(cost).toEqual({ agent_usd: null, judge_usd: null, unknown_runs: 1 })
  })
  test('of judging is 0 when code decided everything', () => {
    const { cost } = made(arm(1, 'with_skill', ['+'], { grading: { judge: undefined } }))
    expect(cost?.judge_usd).toBe(0)
  })
})

test.each<[string, string | null, string | null, string]>([
  ['code decided what was graded', '+', null, 'none: code decided everything'],
  ['nothing was graded: nobody decided', null, null, 'none: no run was graded'],
  ['a judge had nothing to grade', null, 'anthropic:haiku', 'anthropic:haiku'],
])('the judge of a benchmark where %s', (_, verdicts, judge, said) => {
  const input = inputOf(arm(1, 'with_skill', [verdicts]))
  const facts = listBenchmarkFacts(aggregate({ ...input, metadata: { ...input.metadata, judge } }))
  expect(facts.find(({ name }) => name === 'judge')?.value).toBe(said)
})

test.each([
  ['of which a judge left more open in one arm is none', ['+?', '+?', '+?'], ['+-', '+-', '+-'], [0, 0]],
  ['of which the same is open in both counts, block by block', ['+?', '++', '++'], ['-?', '--', '--'], [12, 12]],
  ['that is all decided counts (control)', ['++', '++', '++'], ['--', '--', '--'], [12, 12]],
])('a pair of runs at an interim analysis, %s', (_, candidate, baseline, seen) => {
  const lines = [1, 2, 3, 4].flatMap((id) => [
    ...arm(id, 'with_skill', candidate),
    ...arm(id, 'without_skill', baseline),
  ])
  const arms = { candidate: 'with_skill', baseline: 'without_skill' }
  // the only one is after three blocks of four cases
  const last = findReleasedRuns(inputOf(lines, { maxRuns: 3 }), arms)?.until.looks.at(-1)
  expect([last?.wins, last?.pairs]).toEqual(seen)
})
