/** A matrix of four models: how often a row is wrongly called dominated, and a pair or a lift wrongly significant; and the power. */
import { expect, test } from 'vitest'
import type { IndexedBenchmark } from '../../../src/features/many_skills/mark_front.ts'
import { markFront } from '../../../src/features/many_skills/mark_front.ts'
import { compareModels } from '../../../src/features/many_skills/write_index.ts'
import { createSeededRandom, type Random } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleMean } from '../../../src/phases/4-report/stats/numbers/moments.ts'
import { normal, type Plan, runSuite } from '../../slow/generators.ts'
import { printTable, share, twoErrors } from '../../slow/table.ts'

const sessions = Math.ceil(Number(process.env.WHETSTONE_TRIALS ?? 2000))
const [alpha, margin] = [0.05, 0.1]

interface Model {
  with: number
  without: number
  price: number
}

const even = { with: 0.6, without: 0.3, price: 0.05 }

/** `dominated`: the models that another one truly dominates by more than the margin. */
const worlds: Record<string, { models: Model[]; dominated: number[] }> = {
  'all the same': { models: [even, even, even, even], dominated: [] },
  'same lift, other rates': {
    models: [0, 0.1, 0.2, 0.3].map((more) => ({
      ...even,
      with: 0.5 + more,
      without: 0.2 + more,
      price: 0.05 * (1 + 5 * more),
    })),
    dominated: [],
  },
  'one dominated': {
    models: [even, even, even, { with: 0.3, without: 0.3, price: 0.1 }],
    dominated: [3],
  },
}

const plans: Plan[] = [
  { cases: 8, runs: 5, expectations: 4, correlation: 0.35 },
  { cases: 12, runs: 10, expectations: 1 },
]

/** Cases differ by ±20 points and by their prices, alike for all models. */
function runMatrix(random: Random, models: readonly Model[], plan: Plan): IndexedBenchmark[] {
  const offsets = Array.from({ length: plan.cases }, () => 0.4 * (random() - 0.5))
  const centre = sampleMean(offsets)
  const scales = offsets.map(() => Math.exp(0.5 * normal(random)))
  return models.map((model, at) => {
    const rate = (base: number, offset: number) => base + Math.min(1, base / 0.3, (1 - base) / 0.3) * (offset - centre)
    const truths = offsets.map((offset) => ({
      candidate: rate(model.with, offset),
      baseline: rate(model.without, offset),
    }))
    const cases = runSuite(random, truths, plan).map(({ scores }, place) => {
      const runs = scores.candidate.map((value) => ({
        run: { result: { cost_usd: model.price * (scales[place] ?? 1) * Math.exp(0.3 * normal(random)) } },
        share: value,
      }))
      return { evalId: place + 1, ...scores, expectations: plan.expectations, runs: { candidate: runs, baseline: [] } }
    })
    const usd = sampleMean(cases.flatMap(({ runs }) => runs.candidate.map(({ run }) => run.result.cost_usd)))
    const pass_rate = { mean: sampleMean(cases.map(({ candidate }) => sampleMean(candidate))) }
    const row = { skill: 's', cell: `m${at}`, candidate: { pass_rate, cost_usd: usd, tokens: null }, lift: null }
    return { row, suite: 'one', cases, at: new Date(0), isConcurrent: true } as unknown as IndexedBenchmark
  })
}

test.each(plans)('$cases cases × $runs runs: each kind of claim wrong in at most 5 of 100 matrices', (plan) => {
  const rows: string[][] = []
  for (const [at, [name, { models, dominated }]] of Object.entries(worlds).entries()) {
    const random = createSeededRandom(7000 + 10 * plan.cases + at)
    const counts = { wrongFront: 0, found: 0, wrongRate: 0, rightRate: 0, wrongLift: 0, rightLift: 0 }
    for (let session = 0; session < sessions; session += 1) {
      const matrix = runMatrix(random, models, plan)
      const marks = markFront(matrix, { alpha, margin })?.marks
      const shown = matrix.flatMap(({ row }, place) => (marks?.get(row)?.status === 'dominated' ? [place] : []))
      if (shown.some((place) => !dominated.includes(place))) counts.wrongFront += 1 / sessions
      if (dominated.length > 0 && dominated.every((place) => shown.includes(place))) counts.found += 1 / sessions
      const significant = (what: 'with_skill' | 'lift') =>
        compareModels(matrix, alpha).flatMap((pair) => {
          if ((pair[what]?.p_adjusted ?? 1) > alpha) return []
          const [a, b] = [pair.first, pair.second].map((cell) => models[Number(cell.slice(1))] ?? even)
          const value = ({ with: own, without }: Model) => (what === 'lift' ? own - without : own)
          return [Math.abs(value(a ?? even) - value(b ?? even)) > 1e-9]
        })
      const [rates, lifts] = [significant('with_skill'), significant('lift')]
      if (rates.includes(false)) counts.wrongRate += 1 / sessions
      if (rates.includes(true)) counts.rightRate += 1 / sessions
      if (lifts.includes(false)) counts.wrongLift += 1 / sessions
      if (lifts.includes(true)) counts.rightLift += 1 / sessions
    }
    rows.push([name, ...Object.values(counts).map(share)])
    const most = alpha + twoErrors(alpha, sessions)
    expect(
      [counts.wrongFront, counts.wrongRate, counts.wrongLift].filter((one) => one > most),
      name,
    ).toEqual([])
  }
  printTable(
    `Four models, ${plan.cases} cases × ${plan.runs} runs, ${plan.expectations} expectations`,
    ['', 'wrongly dominated', 'dominated found', 'wrong pair', 'some pair found', 'wrong lift', 'some lift found'],
    rows,
  )
})
