/** The list of cases names the first failure of each case, as a link that opens the run at that verdict. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, withChromium } from '../browser.ts'
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

withChromium('the first failure of a case', () => {
  const it: { browser?: Browser; staged?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.staged = await stage({ benchmark })
  })
  afterAll(() => it.browser?.close())
  const opened = async (width: number, hash = '#/?order=id'): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${it.staged?.url}${hash}`, { viewport: { width, height: 900 } })).page
  }
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
  test('the rest of the row opens the case', async () => {
    const page = await opened(1280)
    await page.locator('a.case-row').first().click()
    await page.waitForURL(/#\/case\/1$/)
  })
  test.each([
    ['whose runs with the skill passed', 'case-2'],
    ['whose only run with the skill has no verdict', 'case-3'],
  ])('negative control: none for a case %s', async (_what, name) => {
    const page = await opened(1280)
    await item(page, name).first().waitFor()
    expect(await item(page, name).first().locator('.first-failure').count()).toBe(0)
  })
  test.each([1280, 400])('rows with and without it follow each other without gap or overlap: %i px', async (width) => {
    const page = await opened(width)
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await item(page, 'case-69').waitFor()
    const rows = await page.locator('.windowed > li').evaluateAll((all) =>
      all.map((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return {
          top: Math.round(top),
          bottom: Math.round(bottom),
          hasLink: one.querySelector('.first-failure') !== null,
        }
      }),
    )
    expect(new Set(rows.map(({ top, bottom }) => bottom - top)).size).toBe(2)
    expect(new Set(rows.map(({ hasLink }) => hasLink)).size).toBe(2)
    expect(rows.slice(1).map(({ top }) => top)).toEqual(rows.slice(0, -1).map(({ bottom }) => bottom))
    const end = await page.locator('.windowed').evaluate((list) => Math.round(list.getBoundingClientRect().bottom))
    expect(rows.at(-1)?.bottom).toBe(end)
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
})
