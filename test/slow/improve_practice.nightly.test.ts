/** Whole sessions of `improve` through the practice server: what they ship wrongly, what they find, and whether they say what is true. */
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { type Mix, plan, practiceSession } from './improve_practice.ts'
import { printTable } from './table.ts'

/** Fixed before anything was run. */
const wanted: readonly [name: string, mix: Mix, sessions: number][] = [
  ['edits that do nothing', { helpful: 0, harmful: 0 }, 2],
  ['as many harm as help', { helpful: 0.25, harmful: 0.25 }, 3],
  ['half of them help', { helpful: 0.5, harmful: 0.05 }, 3],
]

const points = (value: number) => (100 * value).toFixed(0)
const all = Array.from({ length: plan.cases }, (_, index) => index + 1)

test('8 sessions: nothing ships that is no better, gains are found, and the interval holds the truth', {
  timeout: 3_600_000,
}, async () => {
  const rows: string[][] = []
  const gains: Record<string, number[]> = {}
  let [wrong, covered, certified] = [0, 0, 0]
  const some = pLimit(3)
  const planned = wanted.flatMap(([name, mix, sessions], at) =>
    Array.from({ length: sessions }, (_, session) => ({
      name,
      end: some(() => practiceSession(7000 + 100 * at + session, mix)),
    })),
  )
  for (const { name, end } of planned) {
    const { history, truth, runs } = await end
    const { split, rounds = [], certification: made, current_best: best, stopped } = history
    const gain = truth(best, all) - truth('v0', all)
    gains[name] = [...(gains[name] ?? []), gain]
    if (best !== 'v0' && gain <= 1e-9) wrong += 1
    if (made) {
      certified += 1
      const held = split?.held_out ?? []
      const truthThere = truth(made.best, held) - truth('v0', held)
      const { ci_low: low, ci_high: high } = made.gain
      if (low !== null && high !== null && low - 1e-9 <= truthThere && truthThere <= high + 1e-9) covered += 1
    }
    expect(history.ended_at).toBeDefined()
    expect(best).toBe(made?.result === 'won' ? made.best : 'v0')
    // the proposer of a round is asked three times
    expect(runs).toBeLessThanOrEqual(plan.totalRuns + 3 * rounds.length)
    const edits = rounds.flatMap(({ proposals }) => proposals.flatMap((one) => one.edits))
    expect(edits.filter(({ refused }) => refused !== undefined)).toEqual([])
    const kept = edits.filter((edit) => edit.kept).length
    rows.push([
      name,
      `${kept} of ${edits.length}`,
      points(gain),
      made?.sentence ?? stopped?.message ?? '',
      String(runs),
    ])
  }
  printTable(
    `Improve, whole sessions on the practice model: ${plan.cases} cases, ${plan.totalRuns} runs`,
    ['mix', 'edits kept', 'true gain, points', 'said at the end', 'conversations'],
    rows,
  )
  console.log(
    `shipped what is no better: ${wrong} of ${rows.length}; the interval held the truth: ${covered} of ${certified}`,
  )
  expect(wrong).toBe(0)
  const mean = (values: readonly number[] = []) => values.reduce((sum, one) => sum + one, 0) / values.length
  expect(mean(gains['edits that do nothing'])).toBe(0)
  expect(mean(gains['half of them help'])).toBeGreaterThan(0.1)
  expect(covered / certified).toBeGreaterThan(0.7)
})
