/** The Triggers tab in a real browser: queries found and opened, and the grid of many skills, which scrolls in its box. */
import { beforeAll, expect, test } from 'vitest'
import { shareBrowser, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { matrixFile } from '../skill_matrix.ts'
import { type Staged, stage } from '../stage.ts'

const thirty = Array.from({ length: 30 }, (_, at) => `a-skill-with-a-long-name-${at}`)

withChromium('the triggers', () => {
  const { show } = shareBrowser()
  const it: { full?: Staged; many?: Staged } = {}
  beforeAll(async () => {
    it.full = await stage({ benchmark, runs, files })
    const matrix = matrixFile((text) => text, thirty)
    it.many = await stage({ benchmark, files: { '../../triggers/2026-01-15T12-00-00Z/trigger_matrix.json': matrix } })
  })

  test('queries are searched in the box at the top', async () => {
    const page = await show(it.full?.url, '#/triggers')
    await page.keyboard.press('/')
    await page.keyboard.type('invoice')
    await expect.poll(() => page.locator('.query-row').count()).toBe(1)
    expect(new URL(page.url()).hash).toBe('#/triggers?q=invoice')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.query-row').count()).toBe(6)
    await visit(page, '#/improve')
    await page.keyboard.press('/')
    await page.keyboard.type('case-1\n')
    expect(new URL(page.url()).hash).toBe('#/runs?q=case-1')
  })
  test.each([1280, 400])('30 skills: the grid scrolls in its box, with its heads in sight: %i px', async (width) => {
    const page = await show(it.many?.url, '#/triggers', width)
    const grid = page.locator('.read-grid')
    await grid.waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const places = `(() => {
      const grid = document.querySelector('.read-grid')
      const place = (what) => grid.querySelector(what).getBoundingClientRect()
      return [place('thead th:last-child').top, place('tbody tr:last-child th').left, grid.scrollLeft + grid.scrollTop]
    })()`
    const [top = 0, left = 0, before] = await page.evaluate<number[]>(places)
    await grid.evaluate((box) => box.scrollTo(200, 200))
    const [topNow = 0, leftNow = 0, after] = await page.evaluate<number[]>(places)
    expect([before, after]).toEqual([0, 400])
    // the space between cells is 2 px
    expect([Math.abs(topNow - top) <= 2, Math.abs(leftNow - left) <= 2]).toEqual([true, true])
  })
})
