/** The headline: the verdict first, with both rates, the difference, interval and p-value, the same in every report. */
import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Configuration } from '../../../../schemas/plan.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import {
  similarCasesSentence,
  theseCasesSentence,
} from '../../../../src/phases/4-report/stats/scopes/verdict_sentences.ts'
import { benchmarkHeadline, confidenceNotes } from '../../../../src/phases/4-report/text/headline.ts'
import { arm, inputOf, type Line } from '../fixture.ts'

const made = (lines: readonly Line[], changes: Partial<AggregateInput> = {}) => aggregate(inputOf(lines, changes))
const times = (verdicts: string, count: number) => Array.from({ length: count }, () => verdicts)
const pair = (id: number, own: (string | null)[], other: (string | null)[]) => [
  ...arm(id, 'with_skill', own),
  ...arm(id, 'without_skill', other),
]
const versions = { candidate: 'new_skill', baseline: 'old_skill' } as const
const itself = { candidate: 'without_skill_again', baseline: 'without_skill' } as const
/** Two names that say of no skill which of them has it. */
const names = { candidate: 'old_skill', baseline: 'new_skill' } as const

type Names = { candidate: Configuration; baseline: Configuration }
const skill: Names = { candidate: 'with_skill', baseline: 'without_skill' }

/** A benchmark of `cases` cases with these runs each. */
function suite(cases: number, [own, other]: readonly [readonly string[], readonly string[]], arms: Names = skill) {
  const ids = Array.from({ length: cases }, (_, at) => at + 1)
  return made(
    ids.flatMap((id) => [...arm(id, arms.candidate, own), ...arm(id, arms.baseline, other)]),
    arms,
  )
}

const high = ['++++', '+++-', '++++']
const low = ['+---', '----', '----']
const even = [
  ['+++-', '++--', '+---'],
  ['++--', '+---', '++--'],
] as const

describe('each verdict has its sentence', () => {
  test.each<[string, Benchmark, string]>([
    [
      'helps',
      suite(4, [high, low]),
      'Helps: pass rate 92% with the skill, 8% without: +83 points, 95% CI [67, 99], p < 0.001 (4 cases × 3 runs).',
    ],
    [
      'too_easy',
      suite(4, [times('++++', 3), times('++++', 3)]),
      'Too easy: pass rate 100% with the skill, 100% without: +0 points, 95% CI [-12, 12], p = 1.00 (4 cases × 3 runs). Both configurations pass nearly everything: add harder cases.',
    ],
    [
      'no_difference',
      suite(20, [times('+-', 10), times('+-', 10)]),
      'No difference: pass rate 50% with the skill, 50% without: +0 points, 95% CI [-0.3, 0.3], p = 1.00 (20 cases × 10 runs). The interval is within ±10 points.',
    ],
    [
      'inconclusive, with the runs that would show a difference of the margin',
      suite(4, even),
      'Inconclusive: pass rate 50% with the skill, 42% without: +8 points, 95% CI [-13, 29], p = 0.41 (4 cases × 3 runs). 24 runs per case and configuration would find a difference of 10 points with 80% power.',
    ],
    [
      'inconclusive, too small for any verdict: no p-value, which could be small',
      suite(1, [times('++', 2), times('--', 2)]),
      'Inconclusive: pass rate 100% with the skill, 0% without: +100 points, 95% CI [-12, 100] (1 case × 2 runs). Even if all runs agreed, this design could not be significant: it needs at least 4 runs per case and configuration.',
    ],
    [
      'not_comparable',
      made([...arm(1, 'with_skill', ['+', '+']), ...arm(2, 'without_skill', ['-'])]),
      'Not comparable: no case was graded in both configurations; left out: 2 cases graded in one only.',
    ],
    [
      'helps, a new version',
      suite(4, [high, low], versions),
      'Helps: pass rate 92% with the new version, 8% with the old: +83 points, 95% CI [67, 99], p < 0.001 (4 cases × 3 runs).',
    ],
    [
      'helps, two names that are no skills',
      suite(4, [high, low], names),
      'old_skill beats new_skill: pass rate 92% for old_skill, 8% for new_skill: +83 points, 95% CI [67, 99], p < 0.001 (4 cases × 3 runs).',
    ],
    [
      'helps, of the baseline against itself',
      suite(4, [high, low], itself),
      'Baseline differs from itself: pass rate 92% and 8% for the baseline against itself: +83 points, 95% CI [67, 99], p < 0.001 (4 cases × 3 runs). This is rarely due to chance: check what changed between the two.',
    ],
  ])('%s', (name, benchmark, sentence) => {
    const scope = benchmark.statistics?.scopes?.these_cases
    expect(name.split(',')[0]).toBe(scope?.verdict)
    expect(benchmarkHeadline(benchmark)).toBe(sentence)
    expect(scope?.sentence).toBe(sentence)
  })
  test('similar cases: without an interval it says how many cases it needs', () => {
    const said = 'Similar cases: inconclusive, an interval needs at least 6 cases (4 cases).'
    expect(confidenceNotes(suite(4, [high, low]))[0]).toBe(said)
  })
})

describe('where rates are missing or small', () => {
  const of = (lines: Line[], changes: Partial<AggregateInput> = {}) => benchmarkHeadline(made(lines, changes))
  test.each<[string, Line[], Partial<AggregateInput>, RegExp]>([
    [
      'less than one point never reads as none',
      pair(1, [`+${'-'.repeat(999)}`], ['-']),
      {},
      /pass rate <1% with the skill, 0% without: \+0\.1 points/,
    ],
    [
      'baseline broken',
      pair(1, ['+-'], [null]),
      {},
      /^Incomplete: 0 of 1 run with the skill and 1 of 1 without has no grade\. The difference is between -50 and \+50 points, depending on it\.$/,
    ],
    [
      'one configuration',
      arm(1, 'with_skill', ['+-', '++']),
      { baseline: null },
      /^Pass rate 75% for with_skill \(2 runs, 1 case\)\.$/,
    ],
    ['nothing graded', arm(1, 'with_skill', [null, null]), {}, /^No result: none of the 2 planned runs is graded\.$/],
    [
      'configurations that were asked for the other way round',
      pair(1, ['++'], ['--']),
      { candidate: 'without_skill', baseline: 'with_skill' },
      /pass rate 0% for without_skill, 100% for with_skill: -100 points/,
    ],
  ])('%s', (_, lines, changes, text) => expect(of(lines, changes)).toMatch(text))
  test('without statistics it says that nothing was tested', () => {
    const { statistics: _, ...bare } = suite(4, [high, low])
    expect(benchmarkHeadline(bare)).toBe(
      'Pass rate 92% with the skill, 8% without: +83 points (12 + 12 runs, 4 cases; no test).',
    )
  })
})

describe('only cases graded in both configurations count', () => {
  const half = [...pair(1, ['+-', '+-'], ['--', '--']), ...arm(2, 'with_skill', ['++', '++'], { seconds: 100 })]
  const whole = pair(1, ['+-', '+-'], ['--', '--'])
  test('in the headline, which says how many are left out', () => {
    expect(benchmarkHeadline(made(half))).toMatch(
      /^Inconclusive: pass rate 50% with the skill, 0% without: \+50 points.*\(1 case × 2 runs; left out: 1 case graded in one configuration only\)\./,
    )
    expect(benchmarkHeadline(made(whole))).toContain('(1 case × 2 runs).')
    const two = [...half, ...arm(3, 'without_skill', ['++'])]
    expect(benchmarkHeadline(made(two))).toContain('left out: 2 cases graded in one configuration only)')
  })
})

const context = {
  pairing: 'skill',
  candidate: 'with_skill',
  baseline: 'without_skill',
  alpha: 0.05,
  margin: 0.1,
  runs: [4, 4],
  unpaired: 0,
  isSequential: false,
} as const

const difference = {
  mean: 0.2,
  ci_low: -0.01,
  ci_high: 0.41,
  method: 'moderated_t',
  p_value: 0.06,
  p_method: 'moderated_t',
  n_cases: 20,
  n_runs: 160,
} as const

test('what further runs or cases could show, at the smallest difference worth having', () => {
  const scope = { difference, verdict: 'inconclusive', rule: 'the interval includes 0', needed_for_margin: 12 } as const
  expect(theseCasesSentence(scope, { candidate: 0.6, baseline: 0.4 }, context)).toContain(
    '. 12 runs per case and configuration would find a difference of 10 points with 80% power.',
  )
  expect(similarCasesSentence({ ...scope, needed_for_margin: 1 }, context)).toContain(
    '(20 cases); 1 more case would find a difference of 10 points with 80% power.',
  )
})

test.each<[number, RegExp]>([
  [0, /The skill was not read in any of the 12 runs that had it: check that its description fits/],
  [
    5,
    /The skill was not read in any of the 12 runs .*; 5 runs called it, and the call was denied: allow the Skill tool/,
  ],
])('a skill that no run read, with %i denied calls of it', (denied, said) => {
  const lines = [1, 2, 3, 4].flatMap((id) => {
    return pair(id, times('+-', 3), times('--', 3)).map((line, at) => {
      const isDenied = line.arm === 'with_skill' && (id - 1) * 3 + (at % 3) < denied
      const skill = { offered: true, read: line.arm === 'with_skill' ? false : null, read_at_step: null }
      return { ...line, record: { skill, permission_denials: isDenied ? ['Skill'] : [] } }
    })
  })
  expect(confidenceNotes(made(lines)).join(' ')).toMatch(said)
})
