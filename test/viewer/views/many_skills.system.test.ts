/** What `triggers --all` measured, in a real browser: who takes whose queries, and the grid, which scrolls in its box. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { launch, open, texts, withChromium } from '../browser.ts'
import { matrixFile } from '../skill_matrix.ts'

const thirty = Array.from({ length: 30 }, (_, at) => `a-skill-with-a-long-name-${at}`)

async function pageOf(names?: readonly string[]): Promise<string> {
  const workspace = path.join(mkdtempSync(path.join(tmpdir(), 'many-')), 'skills')
  const folder = path.join(workspace, 'triggers/2026-01-15T11-00-00Z')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, 'trigger_matrix.json'),
    matrixFile((text) => text, names),
  )
  const end = await runMain(['view', workspace, '--json'])
  return `file://${JSON.parse(end.stdout).page}`
}

withChromium('many skills', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())
  const opened = async (url: string, options = {}) => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page, errors } = await open(it.browser, url, options)
    expect(errors).toEqual([])
    return page
  }

  test('names the thief with its queries and runs, and shows rates, grid, close descriptions and cost', async () => {
    const page = await opened(await pageOf())
    await expect.poll(() => page.locator('h1').allTextContents()).toEqual(['1 skill takes queries of other skills'])
    const theft = page.locator('#thefts + .queries .query-row')
    await expect.poll(() => theft.allTextContents()).toHaveLength(1)
    expect(await theft.textContent()).toContain('pdf-forms takes queries of invoices1 query; adjusted p = 0.003')
    await theft.locator('summary').click()
    await expect
      .poll(() => theft.locator('.query-runs').textContent())
      .toContain('query 1: read in 2 of 2 runs · eval-1/with_skill/run-1, eval-1/with_skill/run-2')
    const rows = await texts(page.locator('#skills + .card tbody tr'))
    expect(rows[0]).toBe('invoices 2450% 9% to 91%100% 34% to 100%pdf-forms')
    expect(rows[2]).toContain('undecided')
    expect(rows[3]).toBe('spare only competes00')
    expect(await texts(page.locator('.read-grid tbody tr'))).toEqual([
      'invoices50%50%',
      'pdf-forms100%',
      'release-notes100%',
    ])
    const coloured = await page.locator('.read-grid td[style]').evaluateAll((all) => all.map((one) => one.className))
    expect(coloured).toEqual(['own', 'other', 'own', 'own'])
    expect(await page.locator('#overlaps + .card tbody').textContent()).toContain('0.62"fill in", invoice, fields')
    expect(await texts(page.locator('#matrix-costs + .figures .figure'))).toEqual(['12 of 30', '$0.11'])
    expect(await page.locator('.banner').textContent()).toContain('Of 12 planned runs 1 failed')
  })

  test.each([1280, 400])('30 skills: the grid scrolls in its box, with its heads in sight: %i px', async (width) => {
    const page = await opened(await pageOf(thirty), { viewport: { width, height: 900 } })
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

  test.each(['light', 'dark'] as const)('every text has contrast, and every part a name: %s', async (colorScheme) => {
    const page = await opened(await pageOf(), { colorScheme })
    await page.locator('.read-grid').waitFor()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })
})
