/** Notes of served pages are never lost: left at once, written while the server is gone, or in two pages at a time. */
import { existsSync, readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launch, open, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'
import { type ServedPage, startServed } from './served.ts'

const first = '#/run/1/with_skill/1'
const second = '#/run/1/without_skill/1'

withChromium('notes of served pages', () => {
  const it: { browser?: Browser; server?: ServedPage; folder: string } = { folder: '' }
  beforeAll(async () => {
    it.browser = await launch()
  })
  beforeEach(async () => {
    it.folder = foreign()
    it.server = await startServed(it.folder)
    return () => it.server?.stop()
  })
  afterAll(() => it.browser?.close())
  const saved = (): string[] => {
    const file = `${it.folder}/feedback.json`
    return existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8')).reviews.map((one: { feedback: string }) => one.feedback)
      : []
  }
  const opened = async (hash: string): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${it.server?.url}${hash}`)).page
  }
  const box = (page: Page) => page.locator('textarea')
  const soon = { timeout: 20_000 }

  test('one that is written and left at once is saved', async () => {
    const page = await opened(first)
    await box(page).fill('written and left')
    await page.close({ runBeforeUnload: true })
    await expect.poll(saved, soon).toEqual(['written and left'])
  })
  test('what one page saves the other shows, emptied too', async () => {
    const [one, other] = [await opened(first), await opened(first)]
    await box(one).fill('of the one')
    await expect.poll(() => box(other).inputValue(), soon).toBe('of the one')
    await box(one).fill('')
    await expect.poll(() => box(other).inputValue(), soon).toBe('')
  })
  test('one written while the server is gone is saved by the next, which the page finds', {
    timeout: 60_000,
  }, async () => {
    const page = await opened(first)
    const before = it.server?.url
    it.server?.stop()
    await page.locator('.live').waitFor(soon)
    await box(page).fill('while it was gone')
    await page.getByText('It is kept in this browser and sent again').waitFor()
    it.server = await startServed(it.folder)
    expect(it.server.url).toBe(before)
    await expect.poll(saved, { timeout: 40_000 }).toEqual(['while it was gone'])
    await page.getByText('Saved.').waitFor()
    await expect.poll(() => page.locator('.live').count()).toBe(0)
  })
  test('what was emptied elsewhere does not come back from a browser that had it', async () => {
    const page = await opened(second)
    await box(page).fill('once')
    await expect.poll(saved, soon).toEqual(['once'])
    await page.goto('about:blank')
    const other = await opened(second)
    await box(other).fill('')
    await expect.poll(saved, soon).toEqual([])
    await page.goto(`${it.server?.url}${second}`)
    await page.waitForSelector('html[data-ready]')
    await expect.poll(() => box(page).inputValue()).toBe('')
  })
  test('two servers of one folder have two ports', async () => {
    const other = await startServed(it.folder)
    expect(other.url).not.toBe(it.server?.url)
    other.stop()
  })
})
