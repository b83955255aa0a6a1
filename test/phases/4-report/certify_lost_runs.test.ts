/** The certification of a session: runs that broke have no score, and must not make a version look better than it is. */
import { expect, test } from 'vitest'
import { certify } from '../../../src/phases/4-report/acceptance/certify.ts'
import type { PairedCase } from '../../../src/phases/4-report/acceptance/compared_case.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'

/** Runs as digits: 1 passed, 0 failed, a dot broke. */
function compare(now: string, before: string, evalId: number): PairedCase {
  const kept = (text: string) =>
    [...text].flatMap((one, at) => (one === '.' ? [] : [{ score: Number(one), number: at + 1 }]))
  const of = <T>(value: (run: { score: number; number: number }) => T) => ({
    candidate: kept(now).map(value),
    baseline: kept(before).map(value),
  })
  const same = of(() => 10)
  const shared = { evalId, numbers: of(({ number }) => number), seconds: same, usd: same, tokens: same }
  return { ...shared, ...of(({ score }) => score), passed: of(({ score }) => score === 1) }
}

type Pair = readonly [now: string, before: string]

const decide = (cases: readonly Pair[]) =>
  certify({
    ...{ benchmark: 'benchmarks/x', best: 'v1', goal: 'better', margins: usualMargins },
    cases: cases.map(([now, before], at) => compare(now, before, at + 1)),
    judge: { kind: 'code', name: null },
  })

const times = (count: number, one: Pair): Pair[] => Array.from({ length: count }, () => one)

test.each<[string, Pair[], string, string]>([
  [
    'runs of the version break on a third of the cases',
    [...times(6, ['11', '00']), ...times(3, ['..', '00'])],
    '6 of 18',
    '0 of 18',
  ],
  ['on one case of few', [...times(3, ['111', '000']), ['...', '000']], '3 of 12', '0 of 12'],
  ['in every case, now and then', times(6, ['1.1', '000']), '6 of 18', '0 of 18'],
])('%s: it is not certified', (_, cases, now, before) => {
  expect(decide(cases)).toMatchObject({
    result: 'tie',
    reason: `${now} runs with v1 broke and have no result, and ${before} with v0`,
  })
})

test.each<[string, Pair[]]>([
  ['no run broke', times(6, ['11', '00'])],
  ['one run broke', [...times(6, ['11', '00']), ['1.', '00']]],
  ['those of v0 broke as often', [...times(6, ['11.', '00.']), ...times(2, ['..1', '00.'])]],
  ['a case is gone, but v0 lost more', [...times(6, ['11', '00']), ['..', '00'], ['11', '..'], ['11', '..']]],
  ['only those of v0 broke', [...times(6, ['11', '00']), ...times(3, ['11', '..'])]],
])('control: %s', (_, cases) => {
  expect(decide(cases)).toMatchObject({ result: 'won' })
})
