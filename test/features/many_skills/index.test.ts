/** An index ranks: each p is adjusted for the number of rows, in json, table and page; where a baseline is of another time, nothing shows a difference. */
import { describe, expect, test } from 'vitest'
import { type BenchmarkIndex, benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { buildTrend } from '../../../src/features/diff/trend/build_trend.ts'
import { trendHeadline } from '../../../src/features/diff/trend/trend_text.ts'
import { indexHtml, indexMarkdown } from '../../../src/features/many_skills/index_page.ts'
import {
  adjustRowsByHolm,
  buildIndexRow,
  failedRow,
  sortIndexRows,
} from '../../../src/features/many_skills/index_row.ts'
import { indexHeadline, indexHint, indexTable } from '../../../src/features/many_skills/index_table.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { toGithub } from '../../../src/phases/4-report/text/github.ts'
import { toJunit } from '../../../src/phases/4-report/text/junit_report.ts'
import { chosenText } from '../../../src/phases/4-report/text/selected_cases.ts'
import { record } from '../../fixtures/record.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { toHtml } from '../../phases/4-report/page_html.ts'
import { pageIn } from '../../viewer/unpack.ts'

const runs = (passed: number) => Array.from({ length: 5 }, (_, at) => (at < passed ? '+' : '-'))
const bench = (candidate: number, baseline: number) =>
  aggregate(inputOf([...arm(1, 'with_skill', runs(candidate)), ...arm(1, 'without_skill', runs(baseline))]))
const rowOf = (skill: string, candidate: number, baseline: number) =>
  buildIndexRow({ skill, cell: null }, bench(candidate, baseline), `${skill}/benchmarks/x`)
const indexOf = (rows: BenchmarkIndex['rows'], more: Partial<BenchmarkIndex> = {}): BenchmarkIndex =>
  benchmarkIndex.parse({
    schema_version: 1,
    created_at: '2026-01-15T10:30:00.000Z',
    judge: null,
    alpha: 0.05,
    rows: adjustRowsByHolm(sortIndexRows(rows), 0.05),
    ...more,
  })

describe('comparisons of one skill', () => {
  const compared = (skill: string, cell: string) => ({ ...rowOf(skill, 5, 0), cell })
  const rows = [compared('one', 'skill alone against none'), compared('one', 'whole plugin against none')]
  const words = /first and the second configuration.* first \/ second/s

  test('the rows begin with the comparison, and the hint names no "without"', () => {
    const index = indexOf(rows, { comparisons: true })
    expect(indexTable(index).header.slice(0, 3)).toEqual(['comparison', 'first', 'second'])
    for (const text of [indexHtml(index), indexMarkdown(index)]) expect(text).toMatch(words)
  })
  test('negative control: several skills keep their column, and other indexes their words', () => {
    const several = indexOf([...rows, compared('two', 'skill alone against none')], { comparisons: true })
    expect(indexTable(several).header.slice(0, 2)).toEqual(['skill', 'comparison'])
    for (const text of [indexHtml(indexOf(rows)), indexMarkdown(indexOf(rows))]) expect(text).not.toMatch(words)
  })
})

describe('a benchmark of chosen cases', () => {
  const some = (skill: string, eval_ids: number[]) => ({ ...rowOf(skill, 5, 0), chosen: { eval_ids, of: 9 } })
  const index = indexOf([some('some', [3]), some('few', [1, 4]), rowOf('best', 5, 0), rowOf('same', 2, 2)])

  test('says so to GitHub, in JUnit, on the page and in its row', () => {
    const made = aggregate({ ...inputOf(arm(1, 'with_skill', runs(5))), chosen: { eval_ids: [1], of: 3 } })
    expect(buildIndexRow({ skill: 'one', cell: null }, made, 'x').chosen).toEqual({ eval_ids: [1], of: 3 })
    const told = [{ name: 'x', benchmark: made, gates: [] }]
    const sentence = 'Only case 1 of 3 cases of the suite was run.'
    expect(toGithub(told).join()).toContain(sentence)
    expect(toJunit(told)).toContain(sentence)
    expect(pageIn(toHtml(made)).said.sureness[0]).toBe(sentence)
  })
  test('is counted neither as better nor for its p, and comes behind those of a whole suite', () => {
    expect(indexHeadline(index)).toContain('1 better with the skill (1 significant), 1 the same, 0 worse')
    expect(indexHeadline(index)).toContain('2 of chosen cases only.')
    expect(indexHint(index)).toContain('adjusted for 2 comparisons')
    expect(index.rows.map(({ skill }) => skill)).toEqual(['best', 'same', 'some', 'few'])
    expect(index.rows.map(({ lift }) => [lift?.p_adjusted, lift?.change])).toEqual([
      [0.015873, 'better'],
      [1, 'within_chance'],
      [null, 'within_chance'],
      [null, 'within_chance'],
    ])
  })
  test('counts among others of the same cases of one skill, as in a matrix', () => {
    const matrix = indexOf(['a', 'b'].map((cell) => ({ ...some('some', [3]), cell })))
    expect(indexHeadline(matrix)).toContain('2 better with the skill (2 significant)')
    expect(indexHint(matrix)).toContain('adjusted for 2 comparisons')
    const other = indexOf([some('some', [3]), some('other', [3])])
    expect(indexHeadline(other)).toContain('0 better with the skill, 0 the same, 0 worse, 2 of chosen cases only')
  })
  test('is said to be one in table, page and Markdown', () => {
    const { rows } = indexTable(index)
    expect(rows.map((row) => row.at(-1))).toEqual(['', '', 'only case 3 of 9 cases', 'only cases 1, 4 of 9 cases'])
    expect(indexMarkdown(index)).toContain('**only case 3 of 9 cases** ')
    expect(indexHtml(index)).toContain('<strong>only cases 1, 4 of 9 cases</strong>')
    expect(indexHtml(index).match(/<th scope="row"><a href="/g)).toHaveLength(rows.length)
    expect(chosenText({ eval_ids: Array.from({ length: 9 }, (_, at) => at), of: 50 })).toBe('only 9 of 50 cases')
  })
})

describe('Holm over the rows', () => {
  const many = indexOf([
    rowOf('none', 2, 2),
    rowOf('best', 5, 1),
    failedRow({ skill: 'bad', cell: null }, 'no suite', null),
    ...Array.from({ length: 8 }, (_, at) => rowOf(`other-${at}`, 3, 2)),
  ])
  const best = (index: BenchmarkIndex) => index.rows.find(({ skill }) => skill === 'best')?.lift

  test('the best of ten is no longer significant', () => {
    expect(best(many)).toMatchObject({ p_value: 0.0123134, p_adjusted: 0.123134, change: 'within_chance' })
    expect(indexHeadline(many)).toContain('9 better with the skill (0 significant), 1 the same, 0 worse')
  })
  test('a row without a benchmark counts for none of it', () => {
    expect(many.rows.at(-1)).toMatchObject({ skill: 'bad', lift: null })
    expect(indexHint(many)).toContain('adjusted for 10 comparisons (Holm)')
    expect(indexHint(indexOf([failedRow({ skill: 'bad', cell: null }, 'no suite', null)]))).toBeNull()
  })
  test('a design that is too small for a verdict has no p, however clear it looks', () => {
    const small = aggregate(
      inputOf([...arm(1, 'with_skill', ['++', '++', '++']), ...arm(1, 'without_skill', ['--', '--', '--'])]),
    )
    expect(small.statistics?.scopes?.these_cases.difference.p_value).toBeLessThan(0.05)
    const index = indexOf([buildIndexRow({ skill: 'small', cell: null }, small, 'x')])
    expect(index.rows[0]?.lift).toMatchObject({ mean: 1, p_value: null, change: 'within_chance' })
    expect(indexHeadline(index)).toContain('1 better with the skill (0 significant)')
  })
  test('worse is said as well', () => {
    expect(indexOf([rowOf('worst', 0, 5)]).rows[0]?.lift?.change).toBe('worse')
  })
})

test('rates and difference are those of the headline: uneven runs count by case', () => {
  const uneven = aggregate(
    inputOf([
      ...arm(1, 'with_skill', ['+', '+', '+', '+']),
      ...arm(1, 'without_skill', ['+']),
      ...arm(2, 'with_skill', ['+--']),
      ...arm(2, 'without_skill', ['++-', '++-', '++-', '++-']),
    ]),
  )
  const row = buildIndexRow({ skill: 'uneven', cell: null }, uneven, 'uneven/benchmarks/x')
  expect(row.headline).toContain('pass rate 67% with the skill, 83% without: -17 points')
  const { header, rows } = indexTable(indexOf([row]))
  const [, own, other, difference] = rows[0] ?? []
  expect([own?.split(' ')[0], other?.split(' ')[0], difference]).toEqual(['67%', '83%', '-17 points'])
  expect(header.slice(1, 4)).toEqual(['with', 'without', 'difference'])
})

describe.each([
  ['another time', '2025-01-01T00:00:00.000Z', false],
  ['one time (control)', record({}).ended_at, true],
])('the difference to a baseline of %s', (_, at, isShown) => {
  const [lost, met] = ['-', '+'].map((mark) => Array.from({ length: 10 }, () => mark))
  const old = { record: { cached_from: { benchmark: 'old', at } } }
  const lines = [1, 2, 3, 4].flatMap((id) => [
    ...arm(id, 'with_skill', lost ?? []),
    ...arm(id, 'without_skill', met ?? [], old),
  ])
  const benchmark = aggregate(inputOf(lines))
  test('notes claim a difference', () => {
    expect(/Significantly worse|significant difference/.test(benchmark.notes.join())).toBe(isShown)
  })
  test('the index ranks it', () => {
    const row = buildIndexRow({ skill: 's', cell: null }, benchmark, 's/benchmarks/x')
    expect(row.delta === -1 && row.lift?.mean === -1).toBe(isShown)
    expect(
      indexTable(indexOf([row]))
        .rows.join()
        .includes('-100 points'),
    ).toBe(isShown)
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
