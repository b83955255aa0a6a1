/** A baseline of another time: no note, index, trend or page shows a difference; the same runs of one time show it (control). */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { buildIndexRow } from '../../../src/phases/4-report/index/index_row.ts'
import { indexTable } from '../../../src/phases/4-report/index/index_table.ts'
import { toHtml } from '../../../src/phases/4-report/text/html.ts'
import { buildTrend } from '../../../src/phases/4-report/trend/trend.ts'
import { trendHeadline } from '../../../src/phases/4-report/trend/trend_text.ts'
import { record } from '../../fixtures/record.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { arm, inputOf } from './fixture.ts'

const { ended_at: ended } = record({})

function benchWithBaseline(cachedAt: string) {
  const runs = (mark: string) => Array.from({ length: 10 }, () => mark)
  const old = { record: { cached_from: { benchmark: 'old', at: cachedAt } } }
  const lines = [1, 2, 3, 4].flatMap((id) => [
    ...arm(id, 'with_skill', runs('-')),
    ...arm(id, 'without_skill', runs('+')).map((line) => ({ ...line, ...old })),
  ])
  return aggregate(inputOf(lines))
}

describe.each([
  ['another time', '2025-01-01T00:00:00.000Z', false],
  ['one time (control)', ended, true],
])('%s', (_, at, isShown) => {
  const benchmark = benchWithBaseline(at)
  test('notes claim a difference', () => {
    expect(/Significantly worse|significant difference/.test(benchmark.notes.join())).toBe(isShown)
  })
  test('the index ranks it', () => {
    const row = buildIndexRow({ skill: 's', cell: null }, benchmark, 's/benchmarks/x')
    expect(row.delta === -1 && row.lift?.mean === -1).toBe(isShown)
    const index = { schema_version: 1 as const, created_at: '', judge: null, alpha: 0.05, rows: [row] }
    expect(indexTable(index).rows.join().includes('-100 points')).toBe(isShown)
  })
  test('the trend shows it', () => {
    const found = { folder: 'x', at: new Date(0), benchmark, plan: null }
    expect(trendHeadline(buildTrend([found], [], [])).includes('-100')).toBe(isShown)
  })
  test('the cards of the page show it', () => {
    const { scopes } = pageIn(toHtml(benchmark)).said
    expect(scopes?.these_cases.points).toBe(isShown ? '-100' : '')
  })
})
