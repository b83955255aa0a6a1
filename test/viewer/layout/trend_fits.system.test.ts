/** The page of benchmarks over time, drawn: no folder lies outside of its table, and the dates of the chart can be read on a phone. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { buildTrend } from '../../../src/phases/4-report/trend/trend.ts'
import { trendHtml } from '../../../src/phases/4-report/trend/trend_page.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, withChromium } from '../browser.ts'
import { outside } from '../hostile/outside.ts'

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

withChromium('the trend', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())

  test.each([
    [2, 360],
    [4, 400],
    [8, 400],
    [2, 1280],
    [8, 1280],
  ])('of %i benchmarks at %i px', async (many, width) => {
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
})
