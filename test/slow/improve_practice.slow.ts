/** 20 whole sessions of `improve` through the practice server: what they take wrongly, what they find, and whether the test says what is true. */
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { plan, practiceSession } from './improve_practice.ts'
import { type Mix, mixes } from './improve_world.ts'
import { printTable } from './table.ts'

/** Fixed before anything was run. */
const wanted: readonly [name: string, mix: Mix, sessions: number][] = [
  ['null edits alone', { helpful: 0, null: 1, harmful: 0 }, 6],
  ['usual', mixes.usual, 6],
  ['treacherous', mixes.treacherous, 4],
  ['favours the strict loop', mixes['favours the strict loop'], 4],
]

const points = (value: number) => (100 * value).toFixed(0)

test('20 sessions: hardly ever is anything taken that is no better, and the test tells the truth', {
  timeout: 3_600_000,
}, async () => {
  const rows: string[][] = []
  const gains: Record<string, number[]> = {}
  let [falseSessions, covered, tested] = [0, 0, 0]
  const some = pLimit(3)
  const planned = wanted.flatMap(([mixName, mix, sessions], at) =>
    Array.from({ length: sessions }, (_, session) => ({
      mixName,
      end: some(() => practiceSession(7000 + 100 * at + session, mix)),
    })),
  )
  for (const { mixName, end } of planned) {
    const { history, truth, runs } = await end
    const { iterations, split, test: result, stopped, current_best: best, refused = [] } = history
    const all = Array.from({ length: plan.cases }, (_, index) => index + 1)
    const won = iterations.filter(({ grading_result }) => grading_result === 'won')
    const wrong = won.filter(({ version, gate }) => truth(version, all) <= truth(gate?.against ?? 'v0', all) + 1e-9)
    falseSessions += wrong.length > 0 ? 1 : 0
    const gain = truth(best, all) - truth('v0', all)
    gains[mixName] = [...(gains[mixName] ?? []), gain]
    const held = split?.test ?? []
    const isTested = result != null
    const truthHere = truth(best, held) - truth('v0', held)
    const { ci_low: low, ci_high: high } = result?.gain ?? { ci_low: null, ci_high: null }
    tested += isTested ? 1 : 0
    covered += low !== null && high !== null && low - 1e-9 <= truthHere && truthHere <= high + 1e-9 ? 1 : 0
    expect(history.ended_at).toBeDefined()
    expect(isTested).toBe(best !== 'v0')
    rows.push([
      mixName,
      String(iterations.length - 1 + refused.length),
      `${won.length}${wrong.length > 0 ? ` (${wrong.length} wrongly)` : ''}`,
      points(gain),
      result == null ? '–' : result.sentence,
      stopped?.reason ?? '',
      String(runs),
    ])
  }
  printTable(
    `Improve, 20 whole sessions on the practice model: ${plan.cases} cases, ${plan.iterations} iterations, ${plan.runs} runs a validation case`,
    ['mix', 'proposals', 'won', 'true gain, points', 'said at the end', 'stopped', 'conversations'],
    rows,
  )
  console.log(
    `took what is no better: ${falseSessions} of 20; the interval of the test held the truth: ${covered} of ${tested}`,
  )
  expect(rows).toHaveLength(20)
  expect(falseSessions).toBeLessThanOrEqual(1)
  for (const values of Object.values(gains)) for (const gain of values) expect(gain).toBeGreaterThanOrEqual(-1e-9)
  const mean = (values: readonly number[] = []) => values.reduce((sum, one) => sum + one, 0) / values.length
  expect(mean(gains['null edits alone'])).toBe(0)
  expect(mean(gains['favours the strict loop'])).toBeGreaterThan(0.1)
  expect(covered / tested).toBeGreaterThan(0.7)
})
