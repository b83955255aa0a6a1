/** The index of many skills, drawn: no number is broken in two by what a failed one says, and nothing is wider than a phone. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IndexRow } from '../../../schemas/benchmark_index.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { indexHtml } from '../../../src/phases/4-report/index/index_page.ts'
import { buildIndexRow, failedRow } from '../../../src/phases/4-report/index/index_row.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, withChromium } from '../browser.ts'
import { outside } from '../hostile/outside.ts'

const name = (skill: string) => ({ skill, cell: null })
const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+-', '++']), ...arm(1, 'without_skill', ['--', '+-'])]))
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
  range.selectNodeContents(one)
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
}).map((one) => one.textContent)`

withChromium('the index of many skills', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())

  test.each<[string, IndexRow[], number]>([
    ['one failed', [...done, failed], 1280],
    ['one failed', [...done, failed], 360],
    ['one failed with a path that is wider than the screen', [...done, unbroken], 360],
    ['one failed with a path that is wider than the screen', [...done, unbroken], 1280],
    ['all are done', done, 1280],
  ])('%s', async (_what, rows, width) => {
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
    const empty = page.locator('td').filter({ hasText: /^–$/ }).filter({ visible: true })
    await expect.poll(async () => (await empty.count()) > 0).toBe(width === 1280 && rows !== done)
    if (width === 1280) {
      const hidden = 'const { scrollWidth, clientWidth } = document.querySelector("section"); scrollWidth - clientWidth'
      await expect.poll(() => page.evaluate(hidden)).toBe(0)
      const aligned = 'getComputedStyle(document.querySelector("td[data-column=time]")).textAlign'
      await expect.poll(() => page.evaluate(aligned)).toBe('right')
    }
    await page.close()
  })
})
