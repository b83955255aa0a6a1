/** Agreement of a judge with people: known values, weights of an uneven sample, and when the judge is not vouched for. */
import { describe, expect, test } from 'vitest'
import { cohensKappa, kappaInterval, summarizeAuditDecisions } from '../../../src/features/audit/reliability.ts'
import { wilson } from '../../../src/phases/4-report/stats/distributions/binomial.ts'
import reference from '../../phases/4-report/stats/reference.json' with { type: 'json' }

/** Such as "p+3 f-2": three passes that people pass too, and two fails that they fail; "?" is not labelled. */
function decisions(cells: string, configuration = 'with_skill') {
  return [...cells.matchAll(/([pf])([-+?])(\d+)/g)].flatMap(([, verdict, label, count], row) =>
    Array.from({ length: Number(count) }, (_, index) => {
      const id = `${configuration}-${row}-${index}`
      return { id, run_id: id, configuration, passed: verdict === 'p', met: label === '?' ? null : label === '+' }
    }),
  )
}

describe('kappa', () => {
  const tables = Object.entries(reference.cohen_kappa).map(([name, [, , kappa]]) => {
    const [both_met = 0, only_judge = 0, only_person = 0, neither = 0] = (name.match(/(?<==)\d+/g) ?? []).map(Number)
    return { kappa: kappa ?? Number.NaN, table: { both_met, only_judge, only_person, neither } }
  })
  test.each(tables)('$kappa of $table', ({ table, kappa }) => {
    expect(cohensKappa(table)).toBeCloseTo(kappa, 10)
    const { ci_low = 9, ci_high = -9 } = kappaInterval(table) ?? {}
    expect(ci_low).toBeLessThan(kappa)
    expect(ci_high).toBeGreaterThan(kappa)
  })
  test('of 60 % agreement in 100, 54 % by chance: as wide as Wilson says', () => {
    const table = { both_met: 45, only_judge: 15, only_person: 25, neither: 15 }
    const ends = wilson(60, 100, 0.05)
    expect(kappaInterval(table)?.ci_low).toBeCloseTo((ends.low - 0.54) / 0.46, 6)
    expect(kappaInterval(table)?.ci_high).toBeCloseTo((ends.high - 0.54) / 0.46, 6)
  })
  test('has a width where all agree, and is none where one of them only ever says the same', () => {
    expect(kappaInterval({ both_met: 5, only_judge: 0, only_person: 0, neither: 5 })?.ci_low).toBeLessThan(0.7)
    expect(cohensKappa({ both_met: 9, only_judge: 0, only_person: 0, neither: 0 })).toBeNull()
    expect(kappaInterval({ both_met: 9, only_judge: 0, only_person: 0, neither: 0 })).toBeNull()
    const against = { both_met: 0, only_judge: 9, only_person: 9, neither: 0 }
    expect(kappaInterval(against)?.ci_low).toBe(-1)
  })
})

describe('a summary', () => {
  test('nobody said anything: none', () => expect(summarizeAuditDecisions(decisions('p?9'))).toBeNull())
  test('counts each decision once, and only what was labelled', () => {
    const some = decisions('p+3 p-1 f-2 p?4')
    expect(summarizeAuditDecisions([...some, ...some])).toMatchObject({
      decisions: 10,
      labels: 6,
      table: { both_met: 3, only_judge: 1, only_person: 0, neither: 2 },
      sensitivity: { rate: 1, n: 3 },
    })
  })
  test('equal shares of passes and fails: plain sensitivity and specificity, and rates corrected by them', () => {
    const one = decisions('p+45 f+5 f-40 p-10')
    const found = summarizeAuditDecisions(one)
    expect(found).toMatchObject({ sensitivity: { rate: 0.9 }, specificity: { rate: 0.8 }, kappa: 0.7, banner: null })
    expect(found?.corrected?.with_skill).toMatchObject({ judged: 0.55, rate: 0.5 })
  })
  test.each<[string, string, RegExp]>([
    ['few labels', 'p+5', /too small to confirm the judge: 5 labels; people passed 5 and failed 0/],
    [
      'verdicts all alike, which make kappa 0',
      'p+45 p-5',
      /too small .*50 labels; people passed 45 and failed 5, the judge passed 50 and failed 0/,
    ],
    [
      'verdicts all alike, of which many are wrong',
      'p+20 p-20',
      /agrees poorly with people \(50% of 40, kappa 0\.00\)/,
    ],
    ['much disagreement', 'p+20 p-20 f-10', /agrees poorly with people \(60% of 50, kappa 0\.29\)/],
  ])('%s: a banner', (_what, cells, text) => expect(summarizeAuditDecisions(decisions(cells))?.banner).toMatch(text))
  test('enough labels of each configuration: its own errors; one label fewer: those of all', () => {
    const cells = (missed: number) => `f-${10 - missed} p-${missed}`
    const both = (more: string) => [...decisions(`p+10 ${cells(0)}`), ...decisions(more, 'without_skill')]
    const own = summarizeAuditDecisions(both(`p+10 ${cells(4)}`))
    expect(own?.by_configuration).toMatchObject({
      with_skill: { specificity: { rate: 1, n: 10 } },
      without_skill: { specificity: { rate: 0.6, n: 10 }, sensitivity: { rate: 1, n: 10 } },
    })
    expect(own?.corrected).toMatchObject({
      with_skill: { judged: 0.5, rate: 0.5 },
      without_skill: { judged: 0.7, rate: 0.5 },
    })
    const pooled = summarizeAuditDecisions(both(`p+9 ${cells(4)}`))
    expect(pooled).toMatchObject({ by_configuration: null, corrected: { with_skill: { judged: 0.5 } } })
    expect(pooled?.corrected?.with_skill?.rate).toBeLessThan(0.5)
  })
  test('a judge that guesses in one configuration: that rate alone is withheld', () => {
    const good = decisions('p+10 f-10')
    const found = summarizeAuditDecisions([...good, ...decisions('p+10 p-10 f+10 f-10', 'without_skill')])
    expect(Object.keys(found?.corrected ?? {})).toEqual(['with_skill'])
    expect(found?.withheld).toBe(
      'The rate without skill is not corrected: the judge does not perform better than chance there.',
    )
    expect(summarizeAuditDecisions(decisions('p+10 p-10 f+10 f-10'))).toMatchObject({
      corrected: null,
      withheld: 'No rate is corrected: the judge does not perform better than chance.',
    })
  })
  test('ten verdicts of one run are worth fewer than ten of ten runs', () => {
    const some = decisions('p+60 p-10 f-60 f+10')
    const clustered = some.map((one, index) => ({ ...one, run_id: `run-${Math.floor(index / 10)}` }))
    const width = ({ ci_low, ci_high }: { ci_low: number; ci_high: number }) => ci_high - ci_low
    const [own, shared] = [some, clustered].map((all) => summarizeAuditDecisions(all))
    for (const part of ['sensitivity', 'specificity'] as const) {
      expect(shared?.[part]).toMatchObject({ rate: own?.[part]?.rate, n: own?.[part]?.n })
      expect(width(shared?.[part] ?? { ci_low: 0, ci_high: 0 })).toBeGreaterThan(
        1.2 * width(own?.[part] ?? { ci_low: 0, ci_high: 9 }),
      )
    }
    // the labels are the same: the verdicts of a run alone are alike
    const unlabelled = decisions('p?60 f?60').map((one) => ({ ...one, id: `more ${one.id}` }))
    const [apart, together] = [10, 1].map((runs) => {
      const more = unlabelled.map((one, index) => ({ ...one, run_id: `more-${Math.floor((index * runs) / 10)}` }))
      return summarizeAuditDecisions([...some, ...more])?.corrected?.with_skill ?? { ci_low: 0, ci_high: 0 }
    })
    expect(width(together ?? { ci_low: 0, ci_high: 0 })).toBeGreaterThan(width(apart ?? { ci_low: 0, ci_high: 9 }))
  })
  test('why no rate is corrected is said, and nothing where they are', () => {
    const met = decisions('p+30 f+5')
    expect(summarizeAuditDecisions(met)?.withheld).toMatch(/people labelled every decision as passed/)
    expect(summarizeAuditDecisions(decisions('p-9'))?.withheld).toMatch(/every decision as failed/)
    const both = decisions('p+30 f-30')
    expect(summarizeAuditDecisions(both)).toMatchObject({
      withheld: null,
      kappa: 1,
      corrected: { with_skill: { rate: 0.5 } },
    })
  })
})
