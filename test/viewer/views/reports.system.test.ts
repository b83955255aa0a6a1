/** Rounds of an improve session and points of the trend lead to the pages of their benchmarks, where those lie beside this one. */
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { fresh } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { trendFile, triggersFile } from '../artefacts.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { historyFile } from '../session_history.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))
const before = '../2026-01-14T10-00-00Z'

withChromium('ways to other pages', () => {
  const it: { browser?: Browser; staged?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.staged = await stage({
      benchmark,
      files: {
        '../../history.json': historyFile(plain),
        '../../trend.json': trendFile(plain).replace('benchmarks/2026-01-14', 'ws/benchmarks/2026-01-14T10-00-00Z'),
        '../../triggers/2026-01-15T11-00-00Z/triggers.json': triggersFile(plain),
        [`${before}/benchmark.json`]: JSON.stringify(benchmark),
        [`${before}/report.html`]: '<title>the page of before</title>',
      },
    })
  })
  afterAll(() => it.browser?.close())
  const opened = async (hash: string, url = it.staged?.url): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${url}${hash}`)).page
  }

  test.each([
    ['#/improve', '.round dt a'],
    ['#/trend', '.trend a'],
  ])('%s', async (hash, selector) => {
    const page = await opened(hash)
    await expect.poll(() => page.locator(selector).count()).toBe(1)
    await page.locator(selector).click()
    await page.waitForURL(/2026-01-14T10-00-00Z\/report\.html$/)
    expect(await page.title()).toBe('the page of before')
    await page.goBack()
    expect(new URL(page.url()).hash).toBe(hash)
  })

  test.each([
    ['round', '2026-01-14T10-00-00Z', '.round dt a'],
    ['certification', '2026-01-15T09-00-00Z', 'h2 a'],
    ['confirmation', '2026-01-15T10-00-00Z', 'th a'],
  ])('without a trend too: the benchmark of a %s', async (_what, name, selector) => {
    const staged = await stage({
      benchmark,
      files: { '../../history.json': historyFile(plain), [`../${name}/report.html`]: 'there' },
    })
    const page = await opened('#/improve', staged.url)
    const addresses = await page
      .locator(`main ${selector}`)
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(addresses).toEqual([`../${name}/report.html`])
  })

  test('a copy elsewhere has none, nor has a page whose neighbour is gone or a link', async () => {
    const copy = path.join(fresh(), 'index.html')
    copyFileSync(it.staged?.report ?? '', copy)
    const page = await opened('#/improve', `file://${copy}`)
    await expect.poll(() => page.locator('.round dt').count()).toBeGreaterThan(0)
    await expect.poll(() => page.locator('.round dt a').count()).toBe(0)
    const other = path.join(it.staged?.folder ?? '', before, 'report.html')
    rmSync(other)
    await it.staged?.again()
    expect(await (await opened('#/improve')).locator('.round dt a').count()).toBe(0)
    const away = fresh()
    mkdirSync(path.join(away, 'x'))
    writeFileSync(path.join(away, 'x/report.html'), 'elsewhere')
    symlinkSync(path.join(away, 'x/report.html'), other)
    await it.staged?.again()
    expect(await (await opened('#/improve')).locator('.round dt a').count()).toBe(0)
  })

  test('queries are searched in the box at the top', async () => {
    const page = await opened('#/triggers')
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
})
