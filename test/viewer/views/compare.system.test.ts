/** Comparing in a real browser: hundreds of blind pairs, and the rows of two benchmarks on one page. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { analysisFile, comparisonFile } from '../artefacts.ts'
import { shareBrowser, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
const ids = Array.from({ length: 130 }, (_, index) => index + 1)
const benchmark = aggregate(
  inputOf(ids.flatMap((id) => [...arm(id, 'with_skill', ['+']), ...arm(id, 'without_skill', ['-'])])),
)
const error = (run: number) => {
  const side = { configuration: 'with_skill', run: `eval-1/with_skill/run-${run}` }
  return JSON.stringify({
    schema_version: 1,
    sides: { A: side, B: { ...side, configuration: 'without_skill' } },
    reason: 'no usable answer in two rounds',
    at: '2026-01-15T11:00:00Z',
  })
}
/** Every tenth is a tie that changed with the order, every 13th a winner with the lower score. */
const more = (id: number) =>
  id % 10 === 0 ? { winner: 'TIE', flips: 1 } : id % 13 === 0 ? { winner: 'B', contradicts_scores: true } : {}
const files = {
  ...Object.fromEntries(ids.map((id) => [`eval-${id}/comparison-1.json`, comparisonFile(plain, more(id))])),
  'eval-1/comparison_error-1.json': error(1), // of before: it was judged since
  'eval-1/comparison_error-2.json': error(2),
  'eval-2/analysis.json': analysisFile(plain),
}

withChromium('many pairs', () => {
  const { show } = shareBrowser()
  const it: { staged?: Staged } = {}
  beforeAll(async () => {
    it.staged = await stage({ benchmark, files })
  })
  const opened = (hash: string) => show(it.staged?.url, hash)
  const titles = (page: Page) => page.locator('.pair-of-outputs > summary strong').allTextContents()
  const said = (page: Page) => page.locator('#pairs small').textContent()

  test('a hundred are drawn, closed, the rest on request', async () => {
    const page = await opened('#/compare')
    await expect.poll(() => said(page)).toContain('130 of 130')
    await expect.poll(() => page.locator('.pair-of-outputs').count()).toBe(100)
    await expect.poll(() => page.locator('.pair-of-outputs table').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000)
    await page.getByRole('button', { name: 'Show 30 more' }).click()
    await expect.poll(() => page.locator('.pair-of-outputs').count()).toBe(130)
  })
  test('several are open at once, the address names the last, and none when that is closed', async () => {
    const page = await opened('#/compare')
    const pairs = page.locator('.pair-of-outputs')
    for (const at of [0, 2]) await pairs.nth(at).locator('summary').first().click()
    await pairs.nth(2).locator('table').first().waitFor()
    await expect.poll(() => page.locator('.pair-of-outputs[open]').count()).toBe(2)
    expect(new URL(page.url()).hash).toBe('#/compare?at=eval-3%2Fcomparison-1.json')
    await pairs.nth(2).locator('summary').first().click()
    await page.waitForURL(/#\/compare$/)
    await expect.poll(() => page.locator('.pair-of-outputs[open]').count()).toBe(1)
  })
  test('an address opens its pair, and shows it', async () => {
    const page = await opened('#/compare?at=eval-120%2Fcomparison-1.json')
    const pair = page.locator('.pair-of-outputs[open]')
    await pair.locator('table').first().waitFor()
    await expect.poll(() => pair.locator('summary').first().textContent()).toContain('Case 120 · case-120')
    const top = () => pair.evaluate((one) => one.getBoundingClientRect().top)
    await expect.poll(top).toBeLessThan(200)
    await expect.poll(() => top()).toBeGreaterThan(50) // below the bar
  })
  test('by verdict and by case', async () => {
    const page = await opened('#/compare')
    await page.getByLabel('Show').selectOption('changed with the order')
    await expect.poll(() => titles(page)).toHaveLength(13)
    expect(new URL(page.url()).hash).toBe('#/compare?show=order')
    await page.locator('input[type=search]').fill('case-12')
    await expect.poll(() => titles(page)).toEqual(['Case 120 · case-120'])
    await visit(page, '#/compare?show=score')
    await expect.poll(() => titles(page)).toHaveLength(9)
    await visit(page, '#/compare?show=B')
    await expect.poll(() => titles(page)).toHaveLength(9)
    await visit(page, '#/compare?show=constructor')
    await expect.poll(() => said(page)).toContain('130 of 130')
  })
  test('what no judge decided has its reason; why one won is told by its case', async () => {
    const page = await opened('#/compare')
    await expect
      .poll(() => page.locator('#unjudged + ul li').allTextContents())
      .toEqual(['Case 1 · case-1 run 2 no usable answer in two rounds'])
    const why = page.locator('section', { hasText: 'Why the winner won' })
    await expect.poll(() => why.textContent()).toMatch(/Case 2 · case-2.*with skill over without skill/)
  })
})
