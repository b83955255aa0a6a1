/** The list of runs and the way of a reader through the page, in a real browser: keys, Back, focus, search. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { shareBrowser, withChromium } from '../browser.ts'
import { stageSmall } from '../sample.ts'
import { type Staged, stage } from '../stage.ts'

const ids = Array.from({ length: 60 }, (_, index) => index + 1)
const benchmark = aggregate(
  inputOf(ids.flatMap((id) => [...arm(id, 'with_skill', ['++']), ...arm(id, 'without_skill', ['--'])])),
)

withChromium('the runs', () => {
  const { show, fresh } = shareBrowser()
  const it: { small?: Staged; staged?: Staged } = {}
  beforeAll(async () => {
    it.small = await stageSmall()
    it.staged = await stage({ benchmark })
  })

  test('keyboard: down, open, up, search, help, theme', async () => {
    const page = await show(it.small?.url, '#/runs')
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.verdicts').waitFor()
    expect(new URL(page.url()).hash).toBe('#/run/1/with_skill/2')
    await page.keyboard.press(']')
    await page.waitForURL(/without_skill\/1$/)
    await page.keyboard.press('u')
    await page.waitForURL(/#\/case\/1$/)
    await page.keyboard.press('?')
    await page.locator('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('t')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('/')
    await page.keyboard.type('j')
    await expect.poll(() => page.locator('input[type=search]').inputValue()).toBe('j')
  })
  test('at the end of a case the next run is the first of the next case', async () => {
    const page = await show(it.small?.url, '#/run/1/without_skill/2')
    await page.keyboard.press(']')
    await page.waitForURL(/#\/run\/2\/with_skill\/1$/)
    await page.getByText('← Previous run').click()
    await page.waitForURL(/#\/run\/1\/without_skill\/2$/)
    await page.goto(page.url().replace(/#.*/, '#/run/2/without_skill/2'))
    await page.getByText('← Previous run').waitFor()
    await expect.poll(() => page.getByText('Next run →').count()).toBe(0)
  })
  test('Back leads to the place and the selection that were left', async () => {
    const page = await fresh(it.staged?.url, '#/runs')
    for (let presses = 0; presses < 70; presses += 1) await page.keyboard.press('j')
    await page.locator('.row.selected[href="#/run/35/without_skill/1"]').waitFor()
    const top = await page.evaluate<number>('new Promise((done) => requestAnimationFrame(() => done(scrollY)))')
    expect(top).toBeGreaterThan(1000)
    const selected = await page.locator('.row.selected').getAttribute('href')
    await page.keyboard.press('Enter')
    await page.locator('.verdicts').waitFor()
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await page.locator('.row.selected').waitFor()
    await expect.poll(() => page.evaluate('scrollY')).toBe(top)
    await expect.poll(() => page.locator('.row.selected').getAttribute('href')).toBe(selected)
  })
  const focused = (page: Page) =>
    page.evaluate<string>('document.activeElement.getAttribute("href") ?? document.activeElement.id')
  test('the keyboard goes on at the start of a new view, and after Back at the link that led away', async () => {
    const page = await fresh(it.staged?.url, '#/runs')
    await page.locator('.run-row').nth(2).focus()
    const link = await focused(page)
    await page.keyboard.press('Enter')
    await page.locator('.verdicts').waitFor()
    await expect.poll(() => focused(page)).toBe('main')
    await page.goBack()
    await page.locator('.run-row').first().waitFor()
    await expect.poll(() => focused(page)).toBe(link)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.verdicts').waitFor()
    expect(new URL(page.url()).hash).toBe('#/run/1/with_skill/1') // what j selected, not what had the focus
  })
  test('the search box keeps the focus where it leads to another view', async () => {
    const page = await show(it.staged?.url, '#/case/1')
    await page.keyboard.press('/')
    await page.keyboard.type('case:2')
    await page.keyboard.press('Enter')
    await page.locator('.run-row').first().waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search')
  })
  test('Escape clears the box and the filter', async () => {
    const page = await show(it.staged?.url, '#/runs?q=nothing-like-it')
    await expect.poll(() => page.locator('.run-row').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await page.locator('.run-row').first().waitFor()
    await expect.poll(() => page.locator('input[type=search]').inputValue()).toBe('')
    expect(new URL(page.url()).hash).toBe('#/runs')
  })
})
