/** Notes by rules: each says its numbers; each rule is silent where its case is not met. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/aggregate.ts'
import type { AggregateInput } from '../../../src/phases/4-report/input.ts'
import { arm, inputOf, type Line } from './fixture.ts'

const notesOf = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) =>
  aggregate(inputOf(lines, changes)).notes
const pair = (
  candidate: readonly (string | null)[],
  baseline: readonly (string | null)[],
  evalId = 1,
  more: Partial<Line> = {},
) => [...arm(evalId, 'with_skill', candidate, more), ...arm(evalId, 'without_skill', baseline, more)]
const skillRead = (read: boolean | null) => ({ record: { skill: { offered: true, read, read_at_step: null } } })
const once = inputOf([]).metadata

describe('expectations', () => {
  const ofExpectations = (lines: Line[]) => notesOf(lines).filter((note) => note.startsWith('Expectation'))
  test.each<[string, string[], string[], string[]]>([
    [
      'always met',
      ['+', '+'],
      ['+', '+'],
      [
        "Expectation 'The total is 1284.50' (eval 1) passes 100% in both configurations (2/2 with_skill, 2/2 without_skill) - may not differentiate skill value",
      ],
    ],
    [
      'never met',
      ['-', '-'],
      ['-', '-'],
      [
        "Expectation 'The total is 1284.50' (eval 1) passes 0% in both configurations (0/2 with_skill, 0/2 without_skill) - may be too hard, or not decidable",
      ],
    ],
    [
      'met by the skill alone',
      ['+', '+'],
      ['-', '-'],
      [
        "Expectation 'The total is 1284.50' (eval 1) passes 2/2 with_skill and 0/2 without_skill - the skill makes the difference",
      ],
    ],
    [
      'broken by the skill',
      ['-', '-'],
      ['+', '+'],
      [
        "Expectation 'The total is 1284.50' (eval 1) passes 0/2 with_skill and 2/2 without_skill - the skill may break this",
      ],
    ],
    ['met now and then', ['+', '-'], ['-', '-'], []],
  ])('%s', (_, candidate, baseline, expected) => expect(ofExpectations(pair(candidate, baseline))).toEqual(expected))
  test('the same text in two cases is two expectations', () => {
    expect(ofExpectations([...pair(['+'], ['+'], 1), ...pair(['+'], ['-'], 2)])).toHaveLength(2)
  })
  test('many of one kind are cut, and counted', () => {
    const statements = Array.from({ length: 9 }, (_, index) => `Statement ${index}`)
    const found = notesOf(pair(['+++++++++'], ['+++++++++'], 1, { statements }))
    expect(found.filter((note) => note.startsWith('Expectation'))).toHaveLength(5)
    expect(found.at(-1)).toBe('… and 4 more expectations that pass 100% in both configurations')
  })
  test('a long statement with line ends is one short line', () => {
    const [note = ''] = ofExpectations(pair(['+'], ['+'], 1, { statements: [`Line one\nline two ${'x'.repeat(500)}`] }))
    expect(note).toMatch(/^Expectation 'Line one line two x+…' \(eval 1\)/)
    expect(note.length).toBeLessThan(320)
  })
})

describe('cases', () => {
  test.each<[string, string[], string[], string]>([
    [
      'does worse',
      ['+-', '+-'],
      ['++', '++'],
      'Eval 1 (case-1) does worse: 50% with_skill against 100% without_skill (-0.50) - may hurt here',
    ],
    [
      'varies',
      ['++', '--'],
      ['+-', '+-'],
      'Eval 1 (case-1) shows high variance with_skill (50% ± 71%, 2 runs) - may be flaky or model-dependent',
    ],
  ])('that %s', (_, candidate, baseline, note) => expect(notesOf(pair(candidate, baseline))).toContain(note))
  test.each([
    ['equal and steady', ['+-', '+-'], ['+-', '+-']],
    ['better and steady', ['++', '++'], ['+-', '+-']],
  ])('%s: nothing to say', (_, candidate, baseline) => {
    expect(notesOf(pair(candidate, baseline)).filter((note) => note.startsWith('Eval'))).toEqual([])
  })
})

describe('gain and price', () => {
  const slow = (lines: Line[], seconds: number, tokens: number | null) =>
    lines.map((line) => ({ ...line, seconds, tokens }))
  test.each<[string, string[], number, number | null, string]>([
    [
      'better, dearer',
      ['++'],
      23,
      2700,
      'Skill adds 13.0s average execution time and 1,700 tokens a run and improves the pass rate by 50 points (+0.50)',
    ],
    [
      'better, cheaper',
      ['++'],
      4,
      400,
      'Skill saves 6.0s average execution time and 600 tokens a run and improves the pass rate by 50 points (+0.50)',
    ],
    [
      'worse, slower, fewer tokens',
      ['--'],
      11,
      900,
      'Skill adds 1.0s average execution time, saves 100 tokens a run and lowers the pass rate by 50 points (-0.50)',
    ],
    ['the same for nothing', ['+-'], 10, 1000, 'Skill leaves the pass rate as it is (+0.00)'],
    ['tokens unknown', ['++'], 10, null, 'Skill improves the pass rate by 50 points (+0.50)'],
  ])('%s', (_, candidate, seconds, tokens, note) => {
    const lines = [
      ...slow(arm(1, 'with_skill', candidate), seconds, tokens),
      ...slow(arm(1, 'without_skill', ['+-']), 10, 1000),
    ]
    expect(notesOf(lines)).toContain(note)
  })
  test('of a new version', () => {
    const lines = [...arm(1, 'new_skill', ['++']), ...arm(1, 'old_skill', ['+-'])]
    expect(notesOf(lines, { candidate: 'new_skill', baseline: 'old_skill' })).toContain(
      'The new version improves the pass rate by 50 points (+0.50)',
    )
  })
})

describe('whether the skill was read', () => {
  const read = (...states: (boolean | null)[]) => {
    const lines = states.map(
      (state, index): Line => ({ evalId: 1, arm: 'with_skill', run: index + 1, verdicts: '+', ...skillRead(state) }),
    )
    return notesOf([...lines, ...arm(1, 'without_skill', ['-'])]).filter((note) => note.includes('read in'))
  }
  test('never', () => {
    expect(read(false, false)).toEqual([
      'The skill was never read in 2 with_skill runs - the comparison says little of what it does once read',
    ])
  })
  test('rarely', () => {
    expect(read(true, false, false)).toEqual([
      'The skill was read in only 1 of 3 with_skill runs - the comparison says little of what it does once read',
    ])
  })
  test.each([
    ['in half of the runs', [true, false]],
    ['always', [true, true]],
    ['unknown', [null, null]],
  ])('%s: nothing to say', (_, states) => expect(read(...states)).toEqual([]))
})

describe('pace', () => {
  const held = (refusals: number, waited_ms: number) => ({ refusals, waited_ms })
  const judge = { engine: 'x', model: null, calls: 1, tokens: null, cost_usd: null, held_back: held(1, 500) }
  const ofPace = (lines: Line[]) => notesOf(lines).filter((note) => note.includes('held runs and judges back'))
  test('refusals and waits of runs and judges are summed, those of the cache left out', () => {
    const cached = { benchmark: 'b', at: '2026-11-20T00:00:00Z' }
    const lines = [
      ...arm(1, 'with_skill', ['+'], { record: { held_back: held(2, 1500) }, grading: { judge } }),
      ...arm(1, 'without_skill', ['+'], { record: { held_back: held(9, 9000), cached_from: cached } }),
    ]
    expect(ofPace(lines)).toEqual([
      "The provider's limits refused 3 requests (429) and held runs and judges back for 2.0s in all - in no run's time",
    ])
    expect(aggregate(inputOf(lines)).held_back).toEqual({ refusals: 3, waited_ms: 2000 })
  })
  test('waits without a refusal are told when they are a second or more', () => {
    const waited = (ms: number) => ofPace(pair(['+'], ['+'], 1, { record: { held_back: held(0, ms) } }))
    expect(waited(499)).toEqual([])
    expect(waited(500)).toEqual([
      "Waits before retries, or for a limit to pass, held runs and judges back for 1.0s in all - in no run's time",
    ])
  })
})

describe('gaps', () => {
  const late = (line: Line): Line => {
    const expectations = [{ text: 'x', passed: false, evidence: 'timed out after 300 s', decided_by: 'timeout' }]
    return { ...line, record: { status: 'timed_out' }, grading: { expectations } }
  }
  const failed = (kind: string) => ({ record: { status: 'failed', error: { kind, message: 'm' } } })
  test('excluded runs by kind and arm', () => {
    const lines = [
      ...pair(['+', '+', '+'], ['-']),
      ...arm(2, 'without_skill', [null, null], failed('crash')),
      ...arm(2, 'with_skill', [null], failed('overloaded')),
    ]
    expect(notesOf(lines).slice(0, 2)).toEqual([
      '1 of 7 planned runs failed (overloaded): 1 with_skill - in no rate',
      '2 of 7 planned runs failed (crash): 2 without_skill - in no rate',
    ])
  })
  test.each<[string, Line[], Partial<AggregateInput>, string]>([
    [
      'time-outs that count',
      pair(['-', '-'], ['+', '+']).map((line) => (line.arm === 'with_skill' && line.run === 2 ? late(line) : line)),
      {},
      '1 of 2 with_skill runs timed out - their expectations count as failed',
    ],
    [
      'judge errors',
      pair(['+?'], ['-?']),
      {},
      '2 expectations in 2 runs could not be judged - in no rate (no usable answer after one repair)',
    ],
    [
      'a case with one arm',
      pair(['+'], [null]),
      {},
      "Eval 1 (case-1) has no graded run without_skill - the arms' means are not over the same cases",
    ],
    [
      'an ungraded case',
      pair([null], [null]),
      { cases: [{ eval_id: 1, eval_key: null, eval_name: 'case-1', cannot_run: null, expectations: [], checks: [] }] },
      'Eval 1 (case-1) has no expectations and no checks: its 2 runs are in no rate',
    ],
    [
      'one run',
      pair(['+'], ['-']),
      { metadata: { ...once, runsPerConfiguration: 1 } },
      'Only 1 run per case and configuration - too few to tell a difference from chance',
    ],
    [
      'one run of those that were planned',
      pair(['+', null], ['-', null]),
      { metadata: { ...once, runsPerConfiguration: 5 } },
      'Only 1 run per case and configuration (5 planned) - too few to tell a difference from chance',
    ],
  ])('%s', (_, lines, changes, note) => expect(notesOf(lines, changes)).toContain(note))
  test('a whole benchmark with a gain has no gap to tell', () => {
    const found = notesOf(pair(['+', '+', '+'], ['-', '-', '-']))
    expect(found).toHaveLength(2)
    expect(found[0]).toMatch(/^Skill /)
  })
})
