/** Drawn: benchmarks over time, the index of many skills, figures. Nothing lies outside of its table, no number is broken, on a phone and on paper. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IndexRow } from '../../../schemas/benchmark_index.ts'
import { buildTrend } from '../../../src/features/diff/trend/build_trend.ts'
import { trendHtml } from '../../../src/features/diff/trend/trend_page.ts'
import { indexHtml } from '../../../src/features/many_skills/index_page.ts'
import { buildIndexRow, failedRow } from '../../../src/features/many_skills/index_row.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, withChromium } from '../browser.ts'

const benchmark = aggregate(
  inputOf([...arm(1, 'with_skill', ['+++', '++-']), ...arm(1, 'without_skill', ['---', '+--'])]),
)
const folder = 'skills/a_skill_with_a_long_name/a_skill_with_a_long_name-workspace/benchmarks/of_that_day'
const found = (hour: number) => {
  const at = new Date(`2026-01-15T${10 + hour}:30:00Z`)
  return { folder: `${folder}-${hour}`, at, benchmark, plan: null }
}
const left = [{ file: `${folder}/${folder.replaceAll('/', '_')}/benchmark.json`, message: folder.replaceAll('/', '_') }]

/** Of the texts of the chart: the least height in pixels, and those that another one lies upon. */
const texts = `(() => {
  const all = [...document.querySelectorAll('.trend text')].map((one) => [one.textContent, one.getBoundingClientRect()])
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2
  const covered = all.filter(([, box]) => all.some(([, other]) => other !== box && meet(box, other)))
  return { least: Math.min(...all.map(([, box]) => box.height)), covered: covered.map(([text]) => text) }
})()`

/** The texts of its tables of which a part lies outside of the table, where nobody sees it. */
const outside = `[...document.querySelectorAll('.summary :is(th, td)')].flatMap((cell) => {
  const table = cell.closest('table').getBoundingClientRect()
  const section = cell.closest('section').getBoundingClientRect()
  const range = document.createRange()
  range.selectNodeContents(cell)
  const right = Math.max(0, ...[...range.getClientRects()].map((one) => one.right))
  return right > Math.min(table.right, section.right) + 1 ? [cell.textContent] : []
})`

const name = (skill: string) => ({ skill, cell: null })
const done = Array.from({ length: 28 }, (_, at) =>
  buildIndexRow(name(`skill-${at}`), benchmark, `skill-${at}/benchmarks/x`),
)
const fastPackingChars =
  'evals/evals.json holds no case that can be run: every one of them names an input file that is not there'
const failed = failedRow(
  name('one-with-a-name-as-long-as-a-name-of-a-skill-may-be-which-is-64c'),
  fastPackingChars,
  'mend it',
)

const file = 'evals/files/a-name-without-any-place-to-break-it/another_one_that_has_no_place_either/input.csv'
const unbroken = failedRow(name('bad'), `no case can be run: ${file}${file}: no such file`, null)

/** Cells of numbers that take more than one line. */
const broken = `[...document.querySelectorAll('td:not([data-column=""])')].filter((one) => {
  const range = document.createRange()
  range.selectNodeContents(one.firstElementChild ?? one)
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
}).map((one) => one.textContent)`

withChromium('a page of many', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())

  test.each([
    [2, 360],
    [8, 400],
    [8, 1280],
  ])('the trend of %i benchmarks at %i px', async (many, width) => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'trend-')), 'trend.html')
    const all = Array.from({ length: many }, (_, hour) => found(hour))
    writeFileSync(file, trendHtml(buildTrend(all, [], left)))
    if (it.browser === undefined) throw new Error('no browser')
    const page = await it.browser.newPage({ viewport: { width, height: 900 } })
    await page.goto(`file://${file}`)
    await expect.poll(() => page.evaluate(outside)).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    const { least, covered } = await page.evaluate<{ least: number; covered: string[] }>(texts)
    expect(least).toBeGreaterThanOrEqual(10)
    expect(covered).toEqual([])
    const scrolls = 'const { overflowX } = getComputedStyle(document.querySelector(".trend").parentElement); overflowX'
    expect(await page.evaluate(scrolls)).toBe('auto')
    await page.close()
  })

  test.each<[string, IndexRow[], number]>([
    ['one failed', [...done, failed], 1280],
    ['one failed with a path that is wider than the screen', [...done, unbroken], 360],
    ['all are done', done, 1280],
  ])('the index of many skills: %s, %s', async (_what, rows, width) => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'index-')), 'index.html')
    const index = { schema_version: 1, created_at: '2026-01-15T10:30:00Z', judge: null, alpha: 0.05, rows } as const
    writeFileSync(file, indexHtml(index))
    if (it.browser === undefined) throw new Error('no browser')
    const page = await it.browser.newPage({ viewport: { width, height: 900 } })
    await page.goto(`file://${file}`)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(rows.length)
    await expect.poll(() => page.evaluate(broken)).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await expect.poll(() => page.evaluate(outside)).toEqual([])
    if (width === 1280) {
      const hidden = 'const { scrollWidth, clientWidth } = document.querySelector(".wide"); scrollWidth - clientWidth'
      await expect.poll(() => page.evaluate(hidden)).toBe(0)
    }
    await page.close()
  })
})
