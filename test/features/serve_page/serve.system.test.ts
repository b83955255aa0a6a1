/** `view --serve` in a real browser: live while runs come in, and notes saved at once and never lost. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { shareBrowser, withChromium } from '../../viewer/browser.ts'
import { foreign } from '../../viewer/foreign.ts'
import { benchHere, type ServedPage, serveHere } from './served.ts'

const first = '#/run/1/with_skill/1'
const second = '#/run/1/without_skill/1'

withChromium('notes', () => {
  const { fresh: open } = shareBrowser()
  const it: { server?: ServedPage; folder: string } = { folder: '' }
  beforeEach(async () => {
    it.folder = foreign()
    it.server = await serveHere(it.folder)
  })
  afterEach(async () => {
    it.server?.stop()
    await it.server?.ended
  })
  const opened = (hash: string) => open(it.server?.url, hash)
  const saved = (): string[] => {
    const file = `${it.folder}/feedback.json`
    return existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8')).reviews.map((one: { feedback: string }) => one.feedback)
      : []
  }
  const box = (page: Page) => page.locator('textarea')

  test('one is saved at once, under the name that its tool knows, and nothing else is written', async () => {
    const page = await opened(first)
    await box(page).fill('by hand')
    await page.getByText('Saved.').waitFor()
    expect(JSON.parse(readFileSync(path.join(it.folder, 'feedback.json'), 'utf8'))).toMatchObject({
      reviews: [{ run_id: 'first-with_skill-run-1', feedback: 'by hand' }],
      status: 'complete',
    })
    expect(readdirSync(it.folder).sort()).toEqual(['feedback.json', 'first'])
  })
  test('two pages lose no note of each other, and an emptied one goes', async () => {
    const [one, other] = [await opened(first), await opened(second)]
    await box(one).fill('of the one')
    await one.getByText('Saved.').waitFor()
    await box(other).fill('of the other')
    await other.getByText('Saved.').waitFor()
    expect(saved().sort()).toEqual(['of the one', 'of the other'])
    await box(one).fill('')
    await expect.poll(saved).toEqual(['of the other'])
  })
  test('one that is written and left at once is saved', async () => {
    const page = await opened(first)
    await box(page).fill('written and left')
    await page.close({ runBeforeUnload: true })
    await expect.poll(saved).toEqual(['written and left'])
  })
  test('what one page saves the other shows, emptied too', async () => {
    const [one, other] = [await opened(first), await opened(first)]
    await box(one).fill('of the one')
    await expect.poll(() => box(other).inputValue()).toBe('of the one')
    await box(one).fill('')
    await expect.poll(() => box(other).inputValue()).toBe('')
  })
  test('one written while the server is gone is saved by the next, which the page finds', async () => {
    const page = await opened(first)
    const before = it.server?.url
    it.server?.stop()
    await it.server?.ended
    await page.locator('.live').waitFor({ timeout: 60_000 })
    await box(page).fill('while it was gone')
    await page.getByText('It is kept in this browser and sent again').waitFor()
    it.server = await serveHere(it.folder)
    expect(it.server.url).toBe(before)
    await expect.poll(saved).toEqual(['while it was gone'])
    await page.getByText('Saved.').waitFor()
    await expect.poll(() => page.locator('.live').count()).toBe(0)
  })
  test('what was emptied elsewhere does not come back from a browser that had it', async () => {
    const page = await opened(second)
    await box(page).fill('once')
    await expect.poll(saved).toEqual(['once'])
    await page.goto('about:blank')
    const other = await opened(second)
    await box(other).fill('')
    await expect.poll(saved).toEqual([])
    await page.goto(`${it.server?.url}${second}`)
    await page.waitForSelector('html[data-ready]')
    await expect.poll(() => box(page).inputValue()).toBe('')
  })
})

withChromium('a page while runs come in', () => {
  const { fresh: open } = shareBrowser()
  const it: { folder: string; url: string; server?: ServedPage } = { folder: '', url: '' }
  beforeAll(async () => {
    it.folder = await benchHere(tidyAgent)
    it.server = await serveHere(it.folder)
    it.url = it.server.url
    return () => it.server?.stop()
  })
  const takeAway = () => {
    const run = path.join(it.folder, 'eval-1-task', 'with_skill', 'run-2')
    const away = path.join(fresh(), 'run-2')
    cpSync(run, away, { recursive: true })
    rmSync(run, { recursive: true })
    return { run, away }
  }

  test('a run that comes in is seen without a key being pressed, under an open dialog', async () => {
    const { run, away } = takeAway()
    const page = await open(it.url, '#/runs')
    await page.getByText('missing').first().waitFor()
    await page.evaluate('window.untouched = true')
    await page.keyboard.press('?')
    mkdirSync(path.dirname(run), { recursive: true })
    cpSync(away, run, { recursive: true })
    await page.getByText('missing').first().waitFor({ state: 'detached', timeout: 60_000 })
    await expect.poll(() => page.locator('dialog').isVisible()).toBe(true)
    await expect.poll(() => page.evaluate('window.untouched')).toBe(true)
  })
  test('while a process works on it, it runs and is not incomplete', async () => {
    const { run, away } = takeAway()
    const page = await open(it.url, '')
    const heading = page.locator('#missing')
    await expect.poll(() => heading.textContent()).toBe('Incomplete')
    const lease = await takeLease(it.folder)
    if ('heldBy' in lease) throw new Error('held by another')
    await page.getByText('Running', { exact: true }).waitFor({ timeout: 60_000 })
    await expect.poll(() => page.locator('.banner').textContent()).toContain('1 run pending')
    await lease[Symbol.asyncDispose]()
    await page.getByText('Incomplete', { exact: true }).waitFor({ timeout: 60_000 })
    cpSync(away, run, { recursive: true })
  })
})
