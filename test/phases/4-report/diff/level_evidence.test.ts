/** The evidence that a level changed: no alarm without a change, an alarm soon after one, and each case compared with itself. */
import { describe, expect, test } from 'vitest'
import { followLevel, type LevelRun, type LevelSettings } from '../../../../src/phases/4-report/diff/level_evidence.ts'
import { createSeededRandom, type Random } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'

const settings: LevelSettings = { limit: 730, detect: 0.15, direction: 'fall', seed: 1 }
const rates = [1, 1, 0.95, 0.9, 0.7, 0.5]

const draw = (random: Random, from: readonly number[], at: number): LevelRun => {
  const eval_id = at % from.length
  return { eval_id, score: random() < (from[eval_id] ?? 0) ? 1 : 0 }
}
const runsOf = (random: Random, from: readonly number[], count: number) =>
  Array.from({ length: count }, (_, at) => draw(random, from, at))

describe('nothing changed', () => {
  test('p-values are uniform, whatever the cases, and the mean e-value is at most 1', () => {
    const random = createSeededRandom(3)
    const found = Array.from({ length: 60 }, (_, seed) => {
      const steps = Array.from({ length: 20 }, () => ({ runs: runsOf(random, rates, 12) }))
      return followLevel(runsOf(random, rates, 30), steps, { ...settings, seed })
    }).flat()
    const below = (p: number) => found.filter(({ p_value }) => p_value < p).length / found.length
    expect(below(0.1)).toBeCloseTo(0.1, 1)
    expect(below(0.5)).toBeGreaterThan(0.45)
    expect(below(0.5)).toBeLessThan(0.55)
    expect(found.reduce((sum, { e_value }) => sum + e_value, 0) / found.length).toBeLessThan(1.25)
  })
})

describe('a fall', () => {
  test('alarms, and a night of easy cases after hard ones is no fall', () => {
    const random = createSeededRandom(5)
    const baseline = runsOf(random, rates, 120)
    const fallen = rates.map((rate) => rate - 0.4)
    const steps = Array.from({ length: 10 }, () => ({ runs: runsOf(random, fallen, 12) }))
    expect(followLevel(baseline, steps, settings).some(({ isAlarm }) => isAlarm)).toBe(true)
    const hard = Array.from({ length: 10 }, (_, at) => ({ eval_id: 5, score: at % 2 }))
    const easy = Array.from({ length: 10 }, () => ({ eval_id: 0, score: 1 }))
    const mix = followLevel(baseline, [{ runs: easy }, { runs: hard }, { runs: easy }, { runs: hard }], settings)
    expect(mix.map(({ isAlarm }) => isAlarm)).toEqual([false, false, false, false])
    // the control: the same scores of one case are a fall
    const asOne = [easy, hard, hard, hard, hard].map((runs) => ({ runs: runs.map((run) => ({ ...run, eval_id: 0 })) }))
    expect(followLevel(baseline, asOne, settings).some(({ isAlarm }) => isAlarm)).toBe(true)
  })
  test('a rise never alarms, unless both directions are asked for', () => {
    const low = runsOf(createSeededRandom(7), [0.5, 0.5, 0.5], 90)
    const steps = Array.from({ length: 8 }, () => ({ runs: runsOf(createSeededRandom(8), [1, 1, 1], 12) }))
    const alarms = (direction: LevelSettings['direction']) =>
      followLevel(low, steps, { ...settings, direction, limit: 100 }).some(({ isAlarm }) => isAlarm)
    expect([alarms('fall'), alarms('either')]).toEqual([false, true])
  })
  test('is found after a long quiet life as soon as at its start', () => {
    const random = createSeededRandom(9)
    const quiet = Array.from({ length: 150 }, () => ({ runs: runsOf(random, rates, 12) }))
    const after = Array.from({ length: 12 }, () => ({
      runs: runsOf(
        random,
        rates.map((rate) => rate - 0.35),
        12,
      ),
    }))
    const found = followLevel(runsOf(random, rates, 120), [...quiet, ...after], settings)
    const at = found.slice(150).findIndex(({ isAlarm }) => isAlarm)
    expect(at).toBeGreaterThanOrEqual(0)
    expect(found[150 + at]?.since).toBeGreaterThanOrEqual(147)
  })
})

test('steps without runs, and cases without earlier runs, are no evidence', () => {
  const found = followLevel([{ eval_id: 1, score: 1 }], [{ runs: [] }, { runs: [{ eval_id: 2, score: 0 }] }], settings)
  expect(found.map(({ e_value, evidence, level }) => [e_value, evidence, level])).toEqual([
    [1, 0, null],
    [1, 0, 0],
  ])
})
