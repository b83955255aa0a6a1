/** A plain label next to each value explains it, also on a phone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, texts, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { type Staged, stage } from '../stage.ts'

const { metadata, ...rest } = aggregate(inputOf(arm(1, 'with_skill', ['+-', '++'])))
const alone = { ...rest, metadata: { ...metadata, baseline_configuration: null } }

withChromium('the labels of values', () => {
  const it: { browser?: Browser; staged: Map<string, Staged> } = { staged: new Map() }
  beforeAll(async () => {
    it.browser = await launch()
    it.staged.set('full', await stage({ benchmark, runs, files }))
    it.staged.set('alone', await stage({ benchmark: alone }))
  })
  afterAll(() => it.browser?.close())
  const opened = async (which: string, hash: string, width = 1280): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page } = await open(it.browser, `${it.staged.get(which)?.url}${hash}`, { viewport: { width, height: 900 } })
    return page
  }

  test('triggers: each rate says what it is a rate of', async () => {
    const cards = await texts((await opened('full', '#/triggers')).locator('#rates + .figures .hint'))
    expect(cards).toEqual([
      'mean trigger rate of 3 queries that should trigger',
      'share of triggered runs that should trigger; 4 queries triggered',
      'mean trigger rate of 2 queries that should not trigger',
      'share of 5 queries that behave as they should',
    ])
  })
  test('case: the difference of an expectation has its unit and is explained below', async () => {
    const page = await opened('full', '#/case/1')
    await expect.poll(() => page.locator('.matrix .points').first().textContent()).toBe('+50 points')
    const hints = await texts(page.locator('section[aria-labelledby=statements] .hint'))
    expect(hints.at(-1)).toMatch(/^difference: share of the runs with skill .* minus .* without skill, in points$/)
  })
  test('negative control: with one configuration there is no difference to explain', async () => {
    const page = await opened('alone', '#/case/1')
    await page.locator('.matrix').waitFor()
    expect(await page.locator('.matrix .points').count()).toBe(0)
    expect(await page.locator('section[aria-labelledby=statements] .hint').count()).toBe(1)
    await visit(page, '#/')
    await page.locator('.case-row').first().waitFor()
    expect(await page.locator('section[aria-labelledby=cases] > .hint').count()).toBe(0)
  })
  test('the configurations explain no pass rate where the table has none', async () => {
    const hint = async (which: string) =>
      (await opened(which, '#/')).locator('section[aria-labelledby=arms] .hint').textContent()
    expect(await hint('full')).not.toContain('pass rate')
    const picture = (await opened('full', '#/')).locator('.picture .axis').first()
    expect(await picture.textContent()).toContain('± standard deviation of the runs')
  })

  test.each([360, 400])('run: no word of a tab is broken: %i px', async (width) => {
    const page = await opened('full', '#/run/1/with_skill/1', width)
    await page.getByRole('tab').first().waitFor()
    const heights = await page
      .getByRole('tab')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(heights).toHaveLength(4)
    for (const height of heights) expect(height).toBeLessThan(44)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })

  /** The boxes that scroll sideways, each with what is too wide in it. */
  const wide = `[...document.querySelectorAll('html, main .scroll')].flatMap((box) => {
    const edge = box.getBoundingClientRect().left + box.clientWidth + 1
    const beyond = [...box.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > edge)
    return box.scrollWidth > box.clientWidth ? [box.className, ...beyond.map((one) => one.outerHTML.slice(0, 90))] : []
  })`
  test.each([360, 400])('trend: nothing scrolls sideways, and each value has its name: %i px', async (width) => {
    const page = await opened('full', '#/trend', width)
    await page.locator('.trend').waitFor()
    expect(await page.evaluate(wide)).toEqual([])
    const names = await page
      .locator('.stacks tbody tr td')
      .evaluateAll((all) =>
        all.filter((one) => one.textContent !== '').map((one) => one.getAttribute('data-column') ?? one.className),
      )
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => name === '""' || name === 'none')).toEqual([])
  })
})
