/** The race of several contenders: looks that are paid for, rank intervals, groups, and who stops when. */
import { describe, expect, test } from 'vitest'
import { type BlockScores, compareByScores } from '../../../src/features/rank/stats/compare_contenders.ts'
import { boundaryHeight, nominalLevel, sequentialPValue } from '../../../src/features/rank/stats/crossing.ts'
import { type Race, race, rankIntervals, tiedGroups } from '../../../src/features/rank/stats/race.ts'
import {
  countRaceRuns,
  expectedRaceRuns,
  neededBlocks,
  neededCases,
  raceLooks,
} from '../../../src/features/rank/stats/race_design.ts'
import { createSeededRandom } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'

describe('what looks cost', () => {
  const ten = raceLooks(10)
  test('one look is a test of fixed size', () => {
    expect(nominalLevel(0.05, 8, [8])).toBe(0.05)
    expect(sequentialPValue(boundaryHeight(0.03, 8, [8]), [8])).toBeCloseTo(0.03, 10)
  })
  test('ten looks at .05: a boundary between those of O’Brien and Fleming and of Pocock', () => {
    const last = nominalLevel(0.05, 10, ten)
    expect(last).toBeGreaterThan(0.0106) // Pocock
    expect(last).toBeLessThan(0.0369) // O'Brien and Fleming
    expect(nominalLevel(0.05, 1, ten)).toBeLessThan(last)
  })
  test('the level of each look has the p-value alpha over all looks', () => {
    for (const blocks of [1, 5, 10]) {
      const p = sequentialPValue(boundaryHeight(nominalLevel(0.01, blocks, ten), blocks, ten), ten)
      expect(p).toBeLessThanOrEqual(0.01)
      expect(p).toBeGreaterThan(0.009)
    }
  })
  test('random walks cross it as often as it says', () => {
    const random = createSeededRandom(3)
    let crossed = 0
    const walks = 4000
    for (let walk = 0; walk < walks; walk += 1) {
      let sum = 0
      const found = ten.some((blocks) => {
        for (let step = 0; step < 40; step += 1) sum += random() < 0.5 ? 1 : -1
        const z = Math.abs(sum) / Math.sqrt(40 * blocks)
        return z >= 2.2 * (blocks / 10) ** -0.1
      })
      if (found) crossed += 1
    }
    expect(Math.abs(crossed / walks - sequentialPValue(2.2, ten))).toBeLessThan(0.015)
  })
})

/** `better[i]`: the contenders that i is better than. */
function betterThan(...lists: number[][]): Pick<Race, 'better'> {
  return { better: lists.map((list) => lists.map((_, at) => list.includes(at))) }
}

describe('rank intervals and groups', () => {
  test('only the ends are separated: the middle one is in both groups', () => {
    const found = betterThan([2], [], [])
    expect(rankIntervals(found)).toEqual([
      [1, 2],
      [1, 3],
      [2, 3],
    ])
    expect(
      tiedGroups(found)
        .map((group) => group.join())
        .sort(),
    ).toEqual(['0,1', '1,2'])
  })
})

/** Scores of contenders that pass each case at these rates, in a fixed pattern: the first share of every ten blocks passes. */
function scoresAt(rates: readonly number[], { cases = 6, blocks = 40 } = {}): BlockScores[][] {
  const random = createSeededRandom(7)
  return rates.map((rate) =>
    Array.from({ length: cases }, () => ({
      scores: Array.from({ length: blocks }, () => (random() < rate ? 1 : 0)),
      expectations: 1,
    })),
  )
}

function runRace(rates: readonly number[], { finished = 40 } = {}): Race {
  const blocks = 40
  const design = { contenders: rates.length, alpha: 0.05, gap: 0.15, looks: raceLooks(blocks) }
  return race(
    design,
    rates.map(() => finished),
    compareByScores(scoresAt(rates, { blocks })),
  )
}

describe('a race', () => {
  test('one far ahead wins, and the worst stops first', () => {
    const found = runRace([0.95, 0.6, 0.05])
    expect(found).toMatchObject({ status: 'winner', winner: 0, next: null })
    const stops = found.looks.flatMap(({ stopped }) => stopped)
    expect(stops).toEqual([2, 1])
    expect(rankIntervals(found)[0]).toEqual([1, 1])
  })
  test('a stopped contender has no runs after it, so the race is cheaper than the grid', () => {
    const found = runRace([0.95, 0.6, 0.05])
    expect(countRaceRuns(found, 6)).toBeLessThan(3 * 6 * 40)
    const after = found.looks.findIndex(({ stopped }) => stopped.includes(2))
    for (const look of found.looks.slice(after + 1)) expect(look.running).not.toContain(2)
  })
  test('equal contenders name no winner', () => {
    const found = runRace([0.5, 0.5])
    expect(found.winner).toBeNull()
    expect(['close', 'max_runs']).toContain(found.status)
  })
  test('the same looks again with more blocks finished: a resume goes on where it stopped', () => {
    const whole = runRace([0.9, 0.6, 0.5])
    for (const finished of [0, 2, 7, 20]) {
      const part = runRace([0.9, 0.6, 0.5], { finished })
      expect(whole.looks.slice(0, part.looks.length)).toEqual(part.looks)
      if (part.status === 'open') expect(part.next).toBe(raceLooks(40).find((blocks) => blocks > finished))
    }
  })
  test('a block that is not finished is not looked at, but a stopped contender may lack blocks', () => {
    const design = { contenders: 3, alpha: 0.05, gap: 0.15, looks: raceLooks(40) }
    const compare = compareByScores(scoresAt([0.95, 0.6, 0.05]))
    const all = race(design, [40, 40, 40], compare)
    const stop = all.looks.find(({ stopped }) => stopped.includes(2))?.blocks ?? 0
    expect(race(design, [40, 40, stop], compare)).toEqual(all)
    expect(race(design, [40, 0, 40], compare).looks).toEqual([])
    expect(race({ ...design, looks: [1, 2] }, [0, 0, 0], compare).next).toBe(1)
  })
  test('what follows from others counts: a better than b, b better than c', () => {
    const results = new Map([
      ['0 1', 0.5],
      ['1 2', 0.5],
      ['0 2', 0],
    ])
    const found = race({ contenders: 3, alpha: 0.05, gap: 0.15, looks: [10] }, [10, 10, 10], (a, b) => {
      const difference = results.get(`${a} ${b}`) ?? 0
      return { difference, low: -1, high: 1, pValue: difference === 0 ? 1 : 1e-6 }
    })
    expect(found.better[0]).toEqual([false, true, true])
    expect(found.winner).toBe(0)
  })
  test('Holm over all pairs: three pairs at p = .02 separate nothing, one at .01 does', () => {
    const at = (pValue: number) =>
      race({ contenders: 3, alpha: 0.05, gap: 0.15, looks: [10] }, [10, 10, 10], (a, b) => ({
        ...{ difference: 0.3, low: -1, high: 1 },
        pValue: a === 0 && b === 1 ? pValue : 0.02,
      })).pairs.filter(({ better }) => better !== null).length
    expect(at(0.02)).toBe(0)
    expect(at(0.01)).toBe(3)
  })
})

describe('the size of a race', () => {
  const size = { contenders: 4, gap: 0.15, power: 0.95 }
  test('more cases need fewer runs, more contenders more', () => {
    const ten = neededBlocks({ ...size, cases: 10 })
    expect(neededBlocks({ ...size, cases: 40 })).toBeLessThan(ten / 3)
    expect(neededBlocks({ ...size, contenders: 8, cases: 10 })).toBeGreaterThan(ten)
  })
  test('the fewest cases with which so many runs are enough', () => {
    const cases = neededCases(size, 20)
    expect(neededBlocks({ ...size, cases })).toBeLessThanOrEqual(20)
    expect(neededBlocks({ ...size, cases: cases - 1 })).toBeGreaterThan(20)
  })
  test('what is expected: less if one leads, and always the same number', () => {
    const design = { contenders: 4, alpha: 0.05, gap: 0.15, looks: raceLooks(60) }
    const expected = expectedRaceRuns(design, { cases: 10, lead: 0.15 })
    expect(expected).toBe(expectedRaceRuns(design, { cases: 10, lead: 0.15 }))
    expect(expected).toBeLessThan(expectedRaceRuns(design, { cases: 10, lead: 0 }))
    expect(expected).toBeLessThan(0.6 * 4 * 10 * 60)
  })
})
