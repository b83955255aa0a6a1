/** Agreement of a judge with people: known values, weights of an uneven sample, and when the judge is not vouched for. */
import { describe, expect, test } from 'vitest'
import { auditSummary, judgeSample, kappaOf } from '../../../src/phases/4-report/audit_summary.ts'

type Cell = [passed: boolean, met: boolean | null, count: number]

function decisions(cells: readonly Cell[], configuration = 'with_skill') {
  return cells.flatMap(([passed, met, count], row) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${configuration}-${row}-${index}`,
      configuration,
      passed,
      met,
    })),
  )
}

test('kappa of 20, 5, 10, 15 is 0.40', () =>
  expect(kappaOf({ both_met: 20, only_judge: 5, only_person: 10, neither: 15 })).toBeCloseTo(0.4, 10))

describe('a summary', () => {
  test('nobody said anything: none', () => expect(auditSummary(decisions([[true, null, 9]]))).toBeNull())
  test('counts each decision once, and only what was labelled', () => {
    const some = decisions([
      [true, true, 3],
      [true, false, 1],
      [false, false, 2],
      [true, null, 4],
    ])
    expect(auditSummary([...some, ...some])).toMatchObject({
      decisions: 10,
      labels: 6,
      table: { both_met: 3, only_judge: 1, only_person: 0, neither: 2 },
      sensitivity: { rate: 1, n: 3 },
    })
  })
  test('equal shares of passes and fails: plain sensitivity and specificity, and rates corrected by them', () => {
    const one = decisions([
      [true, true, 45],
      [false, true, 5],
      [false, false, 40],
      [true, false, 10],
    ])
    const found = auditSummary(one)
    expect(found).toMatchObject({ sensitivity: { rate: 0.9 }, specificity: { rate: 0.8 }, kappa: 0.7, banner: null })
    expect(found?.corrected?.with_skill).toMatchObject({ judged: 0.55, rate: 0.5 })
  })
  test('a fail looked at ten times as often does not count ten times', () => {
    const even = judgeSample(
      decisions([
        [true, true, 90],
        [true, false, 10],
        [false, false, 90],
        [false, true, 10],
      ]),
    )
    const uneven = judgeSample(
      decisions([
        [true, true, 9],
        [true, false, 1],
        [true, null, 90],
        [false, false, 90],
        [false, true, 10],
      ]),
    )
    expect(uneven?.specificity).toBeCloseTo(even?.specificity ?? 0, 10)
    expect(uneven?.sensitivity).toBeCloseTo(even?.sensitivity ?? 0, 10)
  })
  test.each<[string, readonly Cell[], RegExp]>([
    ['few labels', [[true, true, 5]], /too small to vouch for the judge: 5 labels, 5 met and 0 unmet/],
    ['one label, against the judge', [[true, false, 1]], /too small to vouch for the judge: 1 label,/],
    [
      'few labels, much disagreement',
      [
        [true, true, 10],
        [true, false, 10],
        [false, false, 9],
      ],
      /too small to vouch for the judge: 29 labels/,
    ],
    [
      'verdicts all alike, which make kappa 0',
      [
        [true, true, 45],
        [true, false, 5],
      ],
      /too small .*50 labels, 45 met and 5 unmet, 50 passed and 0 failed by the judge/,
    ],
    [
      'verdicts all alike, of which many are wrong',
      [
        [true, true, 20],
        [true, false, 20],
      ],
      /agrees poorly with people \(50% of 40, kappa 0\.00\)/,
    ],
    ['one-sided labels', [[true, true, 40]], /too small/],
    [
      'much disagreement',
      [
        [true, true, 20],
        [true, false, 20],
        [false, false, 10],
      ],
      /agrees poorly with people \(60% of 50, kappa 0\.29\)/,
    ],
    [
      'no better than chance',
      [
        [true, true, 10],
        [false, true, 10],
        [true, false, 10],
        [false, false, 10],
      ],
      /agrees poorly/,
    ],
  ])('%s: a banner', (_what, cells, text) => expect(auditSummary(decisions(cells))?.banner).toMatch(text))
  test('no better than chance: no corrected rate', () => {
    const chance = decisions([
      [true, true, 10],
      [false, true, 10],
      [true, false, 10],
      [false, false, 10],
    ])
    expect(auditSummary(chance)?.corrected).toBeNull()
  })
})
