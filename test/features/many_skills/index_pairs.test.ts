/** The rows of an index against each other: the front of pass rate and price, engines and models in pairs, and what is not compared. */
import { describe, expect, test } from 'vitest'
import { type BenchmarkIndex, benchmarkIndex, type IndexRow } from '../../../schemas/benchmark_index.ts'
import { indexHtml, indexMarkdown } from '../../../src/features/many_skills/index_page.ts'
import { buildIndexRow } from '../../../src/features/many_skills/index_row.ts'
import { frontSentence, frontText, pairsSentence, pairsTable } from '../../../src/features/many_skills/index_table.ts'
import { type IndexedBenchmark, indexBenchmark, markFront } from '../../../src/features/many_skills/mark_front.ts'
import { compareModels } from '../../../src/features/many_skills/write_index.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { inputOf, type Line } from '../../phases/4-report/fixture.ts'

interface Model {
  cell: string
  with: string
  without?: string
  usd: number | null
}

function runsOf(id: number, arm: Line['arm'], verdicts: string, usd: number | null): Line[] {
  return Array.from({ length: 5 }, (_, at) => {
    const cost = usd === null ? null : { usd: usd * (at % 2 === 0 ? 1.1 : 0.9), source: 'agent' }
    const tokens = usd === null ? null : 1000
    return { evalId: id, arm, run: at + 1, verdicts, tokens, record: { cost } }
  })
}

function indexed(model: Model, suite = 'one', { skill = 's', cases = 8 } = {}): IndexedBenchmark {
  const lines = Array.from({ length: cases }, (_, at) => at + 1).flatMap((id) => [
    ...runsOf(id, 'with_skill', model.with, model.usd),
    ...runsOf(id, 'without_skill', model.without ?? '+---', model.usd),
  ])
  const benchmark = aggregate(inputOf(lines))
  const cell = model.cell === '' ? null : model.cell
  return indexBenchmark(buildIndexRow({ skill, cell }, benchmark, `${model.cell || skill}/x`), benchmark, suite)
}

const options = { alpha: 0.05, margin: 0.1 }
const good = { cell: 'good', with: '++++', usd: 0.05 }
const dear = { cell: 'dear', with: '++--', usd: 0.2 }
const cheap = { cell: 'cheap', with: '+---', usd: 0.01 }

function indexOf(all: readonly IndexedBenchmark[]): BenchmarkIndex {
  const front = markFront(all, options)
  const rows = all.map(({ row }): IndexRow => {
    const mark = front?.marks.get(row)
    return mark === undefined ? row : { ...row, front: mark }
  })
  return benchmarkIndex.parse({
    schema_version: 1,
    created_at: '2026-01-15T10:30:00.000Z',
    judge: null,
    alpha: 0.05,
    pairs: compareModels(all, 0.05),
    ...(front && { front_axes: front.axes }),
    rows,
  })
}

describe('the front', () => {
  test('a row that another beats in both is dominated, by a test; a cheap and a good one are on the front', () => {
    const index = indexOf([good, dear, cheap].map((one) => indexed(one)))
    expect(index.rows.map(frontText)).toEqual(['on the front', 'dominated by good', 'on the front'])
    expect(frontSentence(index)).toBe(
      'By pass rate with the skill and cost per run, not dominated: good, cheap; dominated, by a test: dear.',
    )
    for (const text of [indexHtml(index), indexMarkdown(index)]) {
      expect(text).toContain('dominated by good')
      expect(text).toContain('dominated, by a test: dear')
    }
  })
  test('within noise it is only maybe dominated', () => {
    const near = { cell: 'near', with: '++++', usd: 0.0505 }
    const { rows } = indexOf([indexed(good), indexed(near)])
    expect(rows.map(frontText)).toEqual(['on the front', 'maybe dominated by good'])
  })
  test('skills with different suites: by what they add, and not tested', () => {
    const skills = [good, dear].map((one, at) => indexed({ ...one, cell: '' }, `suite ${at}`, { skill: `skill${at}` }))
    const index = indexOf(skills)
    expect(index.front_axes).toBe('lift_and_cost')
    expect(index.rows.map(({ front }) => front?.status)).toEqual(['front', 'open'])
    expect(frontSentence(index)).toContain('different suites, so nothing is tested')
  })
  test('unknown prices: no front', () => {
    const unpriced = [indexed(good), indexed({ ...dear, usd: null })]
    expect(markFront(unpriced, options)).toBeNull()
    expect(frontSentence(indexOf(unpriced))).toBeNull()
  })
})

describe('pairs of models', () => {
  test('the pass rate with the skill and the lift, each adjusted by Holm', () => {
    // `other` has the rate of `good`, but its own baseline is as good: the skill adds nothing there
    const other = { cell: 'other', with: '++++', without: '++++', usd: 0.05 }
    const all = [good, cheap, other].map((one) => indexed(one))
    const pairs = compareModels(all, 0.05)
    const seen = pairs.map(({ first, second, with_skill, lift }) => [
      `${first} ${second}`,
      with_skill?.mean,
      (with_skill?.p_adjusted ?? 1) <= 0.05,
      lift?.mean,
      (lift?.p_adjusted ?? 1) <= 0.05,
    ])
    expect(seen).toEqual([
      ['good cheap', 0.75, true, 0.75, true],
      ['good other', 0, false, 0.75, true],
      ['cheap other', -0.75, true, 0, false],
    ])
    for (const { with_skill } of pairs) expect(with_skill?.p_adjusted).toBeGreaterThanOrEqual(with_skill?.p_value ?? 1)
    const index = indexOf(all)
    expect(pairsSentence(index)).toContain('differs in 2 of 3 pairs, and what the skill adds in 2')
    expect(pairsTable(index)?.rows[0]?.slice(0, 2)).toEqual(['good − cheap', expect.stringContaining('+75 points')])
  })
  test.each<[string, IndexedBenchmark, string]>([
    ['of another suite', indexed(cheap, 'two'), 'different versions of the suite'],
    ['of another time', { ...indexed(cheap), at: new Date(0) }, 'benchmarks more than a day apart'],
    ['with an old baseline', { ...indexed(cheap), isConcurrent: false }, 'a baseline is not concurrent'],
  ])('a row %s is not compared, and says why', (_, other, reason) => {
    const [pair] = compareModels([indexed(good), other], 0.05)
    expect(pair).toMatchObject({ with_skill: null, lift: null, reason })
  })
})
