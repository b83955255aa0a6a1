/** From the overview to the evidence of a failure: banner, filters with counts, a mark that opens its verdict, steps, titles, legends. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, texts, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const unread = { record: { skill: { offered: true, read: false, read_at_step: null } } }
/** So many expectations that the last verdict of a run is far below the screen. */
const long = '+'.repeat(24)
const statements = Array.from(`${long}-`, (_sign, index) => `Expectation ${index + 1}`)
const benchmark = aggregate(
  inputOf([
    ...arm(1, 'with_skill', [`${long}-`, `${long}+`], { statements }),
    ...arm(1, 'without_skill', [`${long}-`, `${long}-`], { statements }),
    ...arm(2, 'with_skill', ['--'], unread),
    ...arm(2, 'without_skill', ['+-']),
    ...arm(3, 'with_skill', ['+']),
    ...arm(3, 'without_skill', [null], { record: { status: 'failed', error: { kind: 'crash', message: 'died' } } }),
  ]),
)
const read = aggregate(inputOf([...arm(1, 'with_skill', ['+', '-']), ...arm(1, 'without_skill', ['-', '-'])]))

withChromium('from the overview to a failure', () => {
  const it: { browser?: Browser; staged?: Staged; read?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.staged = await stage({ benchmark })
    it.read = await stage({ benchmark: read })
  })
  afterAll(() => it.browser?.close())
  const opened = async (hash: string, which: 'staged' | 'read' = 'staged', width = 1200): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${it[which]?.url}${hash}`, { viewport: { width, height: 800 } })).page
  }
  const chips = (page: Page) => texts(page.locator('.filters button'))

  test('a banner says that the skill was not read, and leads to the runs', async () => {
    const page = await opened('')
    const row = page.locator('.case-row', { hasText: 'case-2' })
    await expect.poll(() => row.textContent()).toContain('skill not read in 1 run')
    const banner = page.getByRole('region', { name: 'Skill not read' })
    expect(await banner.textContent()).toContain('The skill was not read in 1 of 3 runs that had it')
    await banner.getByRole('link', { name: 'Show the run' }).click()
    await expect.poll(() => page.locator('.run-row').count()).toBe(1)
    await page.locator('.run-row').click()
    await expect.poll(() => page.locator('.banner').textContent()).toContain('The agent did not read the skill')
  })
  test('negative control: no banner where every run read it', async () => {
    const page = await opened('', 'read')
    await page.locator('.case-row').first().waitFor()
    expect(await page.getByRole('region', { name: 'Skill not read' }).count()).toBe(0)
    await visit(page, '#/run/1/with_skill/1')
    await page.locator('.verdicts').waitFor()
    expect(await page.locator('.banner').count()).toBe(0)
  })
  test('every filter says how many runs it shows, those without any are not there', async () => {
    const page = await opened('#/runs')
    const all = await chips(page)
    expect(all).toEqual([
      'all 8',
      'passed 2',
      'failed 5',
      'excluded 1',
      'skill not read 1',
      'regressions 2',
      'case varies between runs 4',
    ])
    for (const text of all) {
      const chip = page.locator('.filters button', { hasText: text })
      await chip.click()
      await expect.poll(() => page.locator('.run-row').count()).toBe(Number(text.split(' ').at(-1)))
      expect(await chip.getAttribute('aria-pressed')).toBe('true')
    }
    expect(await chips(await opened('#/runs', 'read'))).toEqual([
      'all 4',
      'passed 1',
      'failed 3',
      'case varies between runs 4',
    ])
  })
  test('a filter is in the address, and its chip stays while it matches nothing', async () => {
    const page = await opened('#/runs')
    await page.locator('.filters button', { hasText: 'failed' }).click()
    const { hash } = new URL(page.url())
    expect(hash).toBe('#/runs?q=status%3Afailed')
    const again = await opened(hash, 'read')
    await expect.poll(() => again.locator('.run-row').count()).toBe(3)
    const none = await opened('#/runs?q=is:asked', 'read')
    await expect.poll(() => chips(none)).toContain('asked the user 0')
  })
  test('the list of runs names its columns and explains its marks', async () => {
    const page = await opened('#/runs')
    expect(await texts(page.locator('.run-head > span'))).toEqual([
      'case',
      'configuration, run',
      'pass rate',
      'expectations, checks',
      'time',
      'tokens',
      'cost',
    ])
    expect((await texts(page.locator('.legend > span'))).map((text) => text.trim())).toEqual([
      'passed',
      'failed',
      'undecided',
      'quote not found',
    ])
  })
  test('the list of cases explains its dots, squares and bars', async () => {
    const legend = (await opened('')).locator('.legend')
    expect(await legend.textContent()).toMatch(/with skill.*without skill.*height is the pass rate, ✕ excluded/)
    const below = (await opened('')).locator('section[aria-labelledby=cases] > .hint')
    await expect
      .poll(() => below.textContent())
      .toMatch(/Square: the difference.*Bar: its 95% CI.*Dotted line: no difference/s)
  })
  test.each([1200, 400])('a failed mark opens its run at the verdict, with its evidence: %i px', async (width) => {
    const page = await opened('#/case/1', 'staged', width)
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
  test('the number of a run opens it at its top', async () => {
    const page = await opened('#/case/1')
    await page.locator('.pip.run').first().click()
    await page.locator('.verdicts li').first().waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    expect(await page.locator('.verdicts [aria-current]').count()).toBe(0)
  })
  test('previous and next case, by link and by key', async () => {
    const page = await opened('#/case/1')
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
  test.each([
    ['#/', 'Overview'],
    ['#/runs?q=status:failed', 'Runs'],
    ['#/case/2', '2 case-2'],
    ['#/run/2/with_skill/1', '2 case-2, with skill 1'],
    ['#/nowhere', 'Not found'],
  ])('the title of %s is %s', async (hash, title) => {
    const page = await opened(hash)
    await expect.poll(() => page.title()).toBe(`${title} · sales-report`)
  })
})
