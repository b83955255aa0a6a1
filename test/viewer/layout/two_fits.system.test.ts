/** A page of two benchmarks has four arms: every rate is seen in its own row, and nothing is said of cases that only one has. */
import { readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, whetstone } from '../../e2e/program.ts'
import { launch, open, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'

/** The page of two folders of another tool. */
async function pageOf(a: string, b: string): Promise<string> {
  const cwd = fresh()
  const end = await whetstone(['view', '--compare', a, b, '--json'], { cwd })
  expect(end.code, end.stderr).toBe(0)
  return `file://${JSON.parse(end.stdout).page}`
}

withChromium('two benchmarks with two arms each', () => {
  const it: { browser?: Browser; url: string } = { url: '' }
  beforeAll(async () => {
    it.browser = await launch()
    it.url = await pageOf(foreign(), foreign(true))
  })
  afterAll(() => it.browser?.close())
  const opened = async (url: string, width = 1200): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, url, { viewport: { width, height: 900 } })).page
  }

  test.each([360, 800, 1200, 2560])('every rate and every bar is in its own row: %i px', async (width) => {
    const page = await opened(it.url, width)
    const row = page.locator('.windowed li').first()
    await expect.poll(() => row.locator('.rates > span').count()).toBe(4)
    const out = await row.evaluate((own) => {
      const box = own.getBoundingClientRect()
      return [...own.querySelectorAll('.rates > span, .heat svg, .name, .effect')].flatMap((one) => {
        const { top, bottom, right } = one.getBoundingClientRect()
        return top < box.top || bottom > box.bottom || right > box.right ? [one.className] : []
      })
    })
    expect(out).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  })

  test('a remark is of the two that are compared', async () => {
    const both = await opened(`${await pageOf(foreign(true), foreign(true))}#/case/1`)
    await expect
      .poll(() => both.locator('.matrix .tag').last().textContent())
      .toBe('B with skill and A with skill: passes in every run')
  })

  test('without a case in common there is no difference', async () => {
    const other = foreign()
    renameSync(path.join(other, 'first'), path.join(other, 'second'))
    expect(readdirSync(other)).toEqual(['second'])
    const page = await opened(await pageOf(foreign(true), other))
    const met = page.locator('.arms tr', { hasText: 'pass rate' })
    await expect.poll(() => met.locator('[data-column=difference]').textContent()).toBe('–')
    const shared = await opened(it.url)
    await expect.poll(() => shared.locator('h1').textContent()).toContain(': +100 points')
  })
})
