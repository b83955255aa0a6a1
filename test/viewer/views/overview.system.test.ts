/** The overview and the cases in a real browser: rows that fit, marks that open their verdicts, steps from case to case. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { shareBrowser, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const long = `The report says ${'the same thing again and '.repeat(12)}stops`
/** More cases than a screen shows, so that rows of both heights are above the last one. */
const many = Array.from({ length: 60 }, (_, index) => index + 10)
const benchmark = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['+++', '++-'], { statements: ['It is short', 'It is neat', long] }),
    ...arm(1, 'without_skill', ['---', '---'], { statements: ['It is short', 'It is neat', long] }),
    ...arm(2, 'with_skill', ['++']),
    ...arm(2, 'without_skill', ['--']),
    ...arm(3, 'with_skill', [null], { record: { status: 'failed', error: { kind: 'crash', message: 'died' } } }),
    ...arm(3, 'without_skill', ['-']),
    ...many.flatMap((id) => [...arm(id, 'with_skill', [id % 2 === 0 ? '+' : '-']), ...arm(id, 'without_skill', ['+'])]),
  ]),
)

/** So many expectations that the last verdict of a run is far below the screen. */
const signs = '+'.repeat(24)
const statements = Array.from(`${signs}-`, (_sign, index) => `Expectation ${index + 1}`)
const failing = aggregate(
  inputOf([
    ...arm(1, 'with_skill', [`${signs}-`, `${signs}+`], { statements }),
    ...arm(1, 'without_skill', [`${signs}-`, `${signs}-`], { statements }),
    ...arm(2, 'with_skill', ['--']),
    ...arm(2, 'without_skill', ['+-']),
    ...arm(3, 'with_skill', ['+']),
    ...arm(3, 'without_skill', [null], { record: { status: 'failed', error: { kind: 'crash', message: 'died' } } }),
  ]),
)

withChromium('the overview', () => {
  const { show } = shareBrowser()
  const it: { many?: Staged; failing?: Staged } = {}
  beforeAll(async () => {
    it.many = await stage({ benchmark })
    it.failing = await stage({ benchmark: failing })
  })
  const opened = (width: number, hash = '#/?order=id') => show(it.many?.url, hash, width)
  const item = (page: Page, name: string) => page.locator('.windowed > li', { hasText: name })

  test.each([1280, 400])('is one line of its row and opens the run at the verdict: %i px', async (width) => {
    const page = await opened(width)
    const link = item(page, 'case-1').first().locator('.first-failure')
    await expect.poll(() => link.textContent()).toBe(`✗ with skill, run 2: ${long}`)
    expect(await link.getAttribute('title')).toBe(long)
    const size = await link.evaluate((own) => [own.scrollWidth > own.clientWidth, own.getBoundingClientRect().height])
    expect(size).toEqual([true, 28])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await link.click()
    await page.waitForURL(/#\/run\/1\/with_skill\/2\?verdict=3$/)
    await expect.poll(() => page.locator('.verdicts [aria-current]').textContent()).toContain(long)
  })
  test('the keys keep the selected row on the screen', async () => {
    const page = await opened(1280)
    for (let presses = 0; presses < 50; presses += 1) await page.keyboard.press('j')
    const seen = () =>
      page.locator('.case-row.selected').evaluate((own) => {
        const { top, bottom } = own.getBoundingClientRect()
        return top >= 0 && bottom <= 900
      })
    await expect.poll(seen).toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/case\/56$/)
  })
  test.each([1200, 400])('a failed mark opens its run at the verdict, with its evidence: %i px', async (width) => {
    const page = await show(it.failing?.url, '#/case/1', width, 800)
    await page.locator('.pip.fail').first().click()
    await page.waitForURL(/#\/run\/1\/with_skill\/1\?verdict=25$/)
    const verdict = page.locator('.verdicts [aria-current]')
    await expect.poll(() => verdict.textContent()).toContain('Expectation 25')
    await expect.poll(() => verdict.locator('.evidence').isVisible()).toBe(true)
    const isInView = (one: ReturnType<typeof page.locator>) =>
      one.evaluate((own) => {
        const { top, bottom } = own.getBoundingClientRect()
        return top >= 0 && bottom <= 800
      })
    await expect.poll(() => isInView(verdict)).toBe(true)
    expect(await isInView(page.locator('.verdicts li').first())).toBe(false)
    await expect.poll(() => page.evaluate('document.activeElement.ariaCurrent')).toBe('true')
  })
  test('previous and next case, by link and by key', async () => {
    const page = await show(it.failing?.url, '#/case/1')
    expect(await page.getByRole('link', { name: 'Previous case' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Next case' }).click()
    await page.waitForURL(/#\/case\/2$/)
    await expect.poll(() => page.title()).toMatch(/^2 /)
    await page.keyboard.press(']')
    await page.waitForURL(/#\/case\/3$/)
    await expect.poll(() => page.getByRole('link', { name: 'Next case' }).count()).toBe(0)
    await page.keyboard.press('[')
    await page.waitForURL(/#\/case\/2$/)
  })
})
