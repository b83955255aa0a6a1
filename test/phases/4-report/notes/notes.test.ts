/** Notes by rules: each is an action or a tested claim and says its numbers; each rule is silent where its case is not met. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import { confidenceNotes } from '../../../../src/phases/4-report/text/headline.ts'
import { pageIn } from '../../../viewer/unpack.ts'
import { arm, inputOf, type Line, oneOfEverything } from '../fixture.ts'
import { toHtml } from '../page_html.ts'

const made = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(lines, changes))
const notesOf = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => made(lines, changes).notes
const pair = (
  candidate: readonly (string | null)[],
  baseline: readonly (string | null)[],
  evalId = 1,
  more: Partial<Line> = {},
) => [...arm(evalId, 'with_skill', candidate, more), ...arm(evalId, 'without_skill', baseline, more)]
const skillRead = (read: boolean | null) => ({ record: { skill: { offered: true, read, read_at_step: null } } })
const times = (verdicts: string, count: number) => Array.from({ length: count }, () => verdicts)

test('a description that was cut or left out is named, and one that came in full is not', () => {
  const listed = (...how: ('full' | 'cut' | 'left_out')[]) =>
    how.map((description): Line => {
      const skill = { offered: true, read: false, read_at_step: null, listing: { description, others: 41 } }
      return { ...arm(1, 'with_skill', ['+'], { record: { skill } })[0], run: how.indexOf(description) + 1 } as Line
    })
  const found = (lines: Line[]) => notesOf(lines).filter((note) => note.includes('description'))
  expect(found(listed('full', 'cut', 'left_out'))).toEqual([
    'The description of the tested skill was cut in 1 and left out in 1 of 3 runs: the agent has 41 other skills to list, and limits its list. Before you rewrite the description, shorten it or install fewer skills.',
  ])
  expect(found(listed('full'))).toEqual([])
})

describe('expectations', () => {
  const ofExpectations = (lines: Line[]) => notesOf(lines).filter((note) => /expectation/i.test(note))
  test.each<[string, string[], string[], string[]]>([
    [
      'always met',
      ['+', '+'],
      ['+', '+'],
      [
        "1 of 1 expectation or check passes in every run of both configurations ('The total is 1284.50' of case 1): stricter ones could show a difference.",
      ],
    ],
    [
      'met by the skill alone, in enough runs',
      times('+', 6),
      times('-', 6),
      [
        "Expectations and checks with a significant difference (false discovery rate 2.5%): 'The total is 1284.50' (case 1: 6 of 6 vs 0 of 6).",
      ],
    ],
    ['met by the skill alone, in too few runs', ['+', '+', '+'], ['-', '-', '-'], []],
    ['met now and then', ['+', '-'], ['-', '-'], []],
  ])('%s', (_, candidate, baseline, expected) => expect(ofExpectations(pair(candidate, baseline))).toEqual(expected))
  test('where the runs are too few the page says so', () => {
    const remark = (count: number) =>
      pageIn(toHtml(made(pair(times('+', count), times('-', count))))).cases[0]?.statements[0]?.remark
    expect(remark(3)).toBe('3 of 3 vs 0 of 3, not yet significant')
    expect(remark(6)).toBe('significant difference: 6 of 6 vs 0 of 6')
  })
  test('the p-values are adjusted for the number of expectations: what is significant alone is not among eight', () => {
    const runs = (first: string, texts: number) =>
      times(first, 5).map((mark, run) => `${mark}${(run % 2 === 0 ? '+-' : '-+').repeat(4)}`.slice(0, texts))
    const found = (texts: number) => ofExpectations(pair(runs('+', texts), runs('-', texts)))
    expect(found(1).join()).toContain('5 of 5 vs 0 of 5')
    expect(found(8)).toEqual([])
  })
  test('many are counted, three are named', () => {
    const statements = Array.from({ length: 9 }, (_, index) => `Statement ${index}`)
    const [found = ''] = ofExpectations(pair(times('+++++++++', 8), times('---------', 8), 1, { statements }))
    expect(found.match(/'Statement \d'/g)).toHaveLength(3)
    expect(found).toMatch(/ and 6 more\.$/)
  })
})

describe('cases', () => {
  const worse = pair(times('-', 6), times('+', 6))
  test('that is significantly worse', () => {
    expect(notesOf(worse)).toContain(
      'Significantly worse with the skill: case 1 (case-1: 0% vs 100%, adjusted p = 0.002). Compare their transcripts.',
    )
  })
  test.each<[string, string[], string[]]>([
    ['worse by chance', ['+-', '+-'], ['++', '++']],
    ['that vary', ['++', '--'], ['+-', '+-']],
    ['better', times('+', 6), times('-', 6)],
  ])('%s: nothing to say', (_, candidate, baseline) => {
    expect(notesOf(pair(candidate, baseline)).filter((note) => /case 1 \(case-1/.test(note))).toEqual([])
  })
})

describe('the price', () => {
  const timed = (lines: Line[], seconds: readonly number[], tokens: readonly number[] | null) =>
    lines.map((line, at) => ({ ...line, seconds: seconds[at % 3] ?? 0, tokens: tokens?.[at % 3] ?? null }))
  const benchOf = (own: string, seconds: readonly number[], tokens: readonly number[] | null) =>
    made([
      ...timed(arm(1, 'with_skill', times(own, 3), { record: { cost: null } }), seconds, tokens),
      ...timed(arm(1, 'without_skill', times('+-', 3), { record: { cost: null } }), [10, 11, 9], [1000, 1010, 990]),
    ])
  const dearer = 'With the skill runs take 2.30× the time (95% CI 1.93 to 2.74)'
  test.each<[string, readonly number[], readonly number[] | null, string[]]>([
    ['slower and dearer', [23, 24, 22], [2700, 2690, 2710], [`${dearer} and 2.70× the tokens (95% CI 2.65 to 2.75).`]],
    ['a little slower', [11, 12, 10], [990, 1000, 1010], []],
    ['slower, tokens unknown', [23, 24, 22], null, [`${dearer}.`]],
  ])('%s: a note if it is clear', (_, seconds, tokens, notes) => {
    expect(benchOf('++', seconds, tokens).notes.filter((note) => note.includes('runs take'))).toEqual(notes)
  })
})

test.each<[string, (boolean | null)[], string[]]>([
  ['never', [false, false], [expect.stringContaining('not read in any of the 2 runs')]],
  ['in half of the runs', [true, false], [expect.stringContaining('not read in 1 of 2 runs')]],
  ['always', [true, true], []],
  ['unknown', [null, null], []],
])('the skill was read %s: said below the headline, not as a note', (_, states, said) => {
  const lines = states.map(
    (state, index): Line => ({ evalId: 1, arm: 'with_skill', run: index + 1, verdicts: '+', ...skillRead(state) }),
  )
  const all = confidenceNotes(made([...lines, ...arm(1, 'without_skill', ['-'])]))
  expect(all.filter((line) => line.includes('read in'))).toEqual(said)
})

describe('tool calls written as text', () => {
  const unread = skillRead(false)
  const asText = { record: { skill: { offered: true, read: null, read_at_step: null }, text_tool_call: true } }
  const lines = (more: Partial<Line>) => [
    ...arm(1, 'with_skill', ['-', '-'], unread),
    ...arm(2, 'with_skill', ['-'], more),
    ...arm(1, 'without_skill', ['-', '-']),
    ...arm(2, 'without_skill', ['-']),
  ]
  test('are the first note, and the description is not blamed', () => {
    const benchmark = made(lines(asText))
    expect(benchmark.notes[0]).toBe(
      '1 of 6 answers is a tool call written as text: this model or server does not call tools reliably. Use --activation answer, or a model that calls them.',
    )
    expect(confidenceNotes(benchmark).join()).not.toContain('description')
  })
  test('without any, the description is named', () => {
    const benchmark = made(lines(unread))
    expect(benchmark.notes.join()).not.toContain('as text')
    expect(confidenceNotes(benchmark).join()).toContain('check that its description')
  })
})

describe('waits', () => {
  const held = (refusals: number, waited_ms: number) => ({ refusals, waited_ms })
  const judge = { engine: 'x', model: null, calls: 1, tokens: null, cost_usd: null, held_back: held(1, 500) }
  const ofWaits = (lines: Line[]) => notesOf(lines).filter((note) => note.includes('delayed runs and judges'))
  test('refusals and waits of runs and judges are summed, those of the cache left out', () => {
    const cached = { benchmark: 'b', at: '2026-11-20T00:00:00Z' }
    const lines = [
      ...arm(1, 'with_skill', ['+'], { record: { held_back: held(2, 1500) }, grading: { judge } }),
      ...arm(1, 'without_skill', ['+'], { record: { held_back: held(9, 9000), cached_from: cached } }),
    ]
    expect(ofWaits(lines)).toEqual([
      "The provider refused 3 requests (429), which delayed runs and judges by 2.0 s in total: this time counts in no run's duration.",
    ])
    expect(made(lines).held_back).toEqual({ refusals: 3, waited_ms: 2000 })
  })
})

describe('gaps', () => {
  const late = (line: Line): Line => {
    const expectations = [{ text: 'x', passed: false, evidence: 'timed out after 300 s', decided_by: 'timeout' }]
    return { ...line, record: { status: 'timed_out' }, grading: { expectations } }
  }
  const failed = (kind: string) => ({ record: { status: 'failed', error: { kind, message: 'm' } } })
  test('excluded runs by kind and configuration, in one note, before all others', () => {
    const lines = [
      ...pair(['+', '+', '+'], ['-']),
      ...arm(2, 'without_skill', [null, null], failed('crash')),
      ...arm(2, 'with_skill', [null], failed('overloaded')),
      ...arm(2, 'with_skill', [null], failed('crash')).map((line) => ({ ...line, run: 2 })),
    ]
    expect(notesOf(lines)[0]).toBe(
      '4 of 8 planned runs are not in the rates: 1 failed (overloaded) in with_skill, 3 failed (crash) in with_skill (1) and without_skill (2).',
    )
  })
  test.each<[string, Line[], Partial<AggregateInput>, string]>([
    [
      'time-outs that count',
      pair(['-', '-'], ['+', '+']).map((line) => (line.arm === 'with_skill' && line.run === 2 ? late(line) : line)),
      {},
      '1 of 2 with_skill runs timed out; their expectations count as failed.',
    ],
    [
      'judge errors',
      pair(['+?'], ['-?']),
      {},
      '2 expectations in 2 runs could not be judged and are excluded from the pass rates (no usable answer after one repair).',
    ],
  ])('%s', (_, lines, changes, note) => expect(notesOf(lines, changes)).toContain(note))
  describe('an empty grading', () => {
    const unknown = { cases: [{ eval_id: 1, eval_key: null, eval_name: 'case-1', cannot_run: null }] }
    const withEmpty = (...empty: number[]) =>
      made(
        pair(['+', '+', '+'], ['-', '-', '-']).map((line) =>
          line.arm === 'with_skill' && empty.includes(line.run) ? { ...line, verdicts: '' } : line,
        ),
        unknown,
      )
    test('of a run, while others of its case have expectations: the run has no grade', () => {
      const { notes, excluded_runs, complete } = withEmpty(3)
      expect(excluded_runs).toMatchObject([{ run_number: 3, reason: 'missing', message: 'its grading is empty' }])
      expect(notes).toContain(
        'with_skill run 3 of case 1 has an empty grading, unlike other runs of its case: grade it again.',
      )
      expect(notes.join()).not.toContain('Nothing to grade')
      expect(complete).toBe(false)
    })
    test('of all runs of a case: it has nothing to grade', () => {
      const { notes, excluded_runs } = made(pair([''], ['']), unknown)
      expect(excluded_runs).toMatchObject([{ reason: 'ungraded' }, { reason: 'ungraded' }])
      expect(notes).toContain('Nothing to grade: case 1. Add expectations or checks.')
    })
  })
  test('a whole benchmark with a gain in few runs has nothing to add', () => {
    expect(notesOf(pair(['+', '+', '+'], ['-', '-', '-']))).toEqual([])
  })
})

describe('how many', () => {
  const attempts = [{ status: null, usd: 0.5, tokens: null }] as unknown as AggregateInput['otherAttempts']
  test('never more than six, the gaps first', () => {
    const lines = [
      ...pair(times('--+-', 44), times('+-+-', 44), 1, { seconds: 20 }),
      ...pair(['+?', null], ['-?', null], 2),
      ...arm(3, 'with_skill', ['-'], { record: { held_back: { refusals: 3, waited_ms: 5000 } } }),
    ]
    const found = notesOf(lines, { otherAttempts: attempts ?? [] })
    expect(found).toHaveLength(6)
    expect(found[0]).toMatch(/planned runs are not in the rates/)
    expect(aggregate(oneOfEverything).notes.length).toBeLessThanOrEqual(6)
  })
  test('of a calibration: gaps, attempts and waits, nothing of a difference', () => {
    const arms = { candidate: 'without_skill_again', baseline: 'without_skill' } as const
    const crashed = { record: { status: 'failed', error: { kind: 'crash', message: 'm' } } }
    const lines = [
      ...arm(1, 'without_skill', times('+', 8)),
      ...arm(1, 'without_skill_again', times('-', 8)),
      ...arm(2, 'without_skill', [null], crashed),
    ]
    expect(notesOf(lines, arms)).toEqual([
      '1 of 17 planned runs is not in the rates: 1 failed (crash) in without_skill.',
    ])
  })
})
