/** A plain label next to each value explains it, also on a phone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { history } from '../../../schemas/history.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { historyFile } from '../artefacts.ts'
import { launch, open, texts, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
/** v0 cost nothing by itself, v1 something unknown; every run of the test agreed. */
function agreeing(): string {
  const value = history.parse(JSON.parse(historyFile(plain)))
  const [first, second, ...others] = value.iterations
  if (first === undefined || second === undefined || value.test == null) throw new Error('two versions and a test')
  const [zero, one] = [0, 1].map((mean) => ({ mean, ci_low: mean * 0.76, ci_high: 0.24 + mean * 0.76 }))
  const tested = { ...value.test, v0: zero, candidate: one, gain: { ...value.test.gain, n_cases: 12 } }
  const iterations = [{ ...first, cost_usd: 0 }, { ...second, cost_usd: null }, ...others]
  return JSON.stringify({ ...value, iterations, test: tested })
}
const { metadata, ...rest } = aggregate(inputOf(arm(1, 'with_skill', ['+-', '++'])))
const alone = { ...rest, metadata: { ...metadata, baseline_configuration: null } }

withChromium('the labels of values', () => {
  const it: { browser?: Browser; staged: Map<string, Staged> } = { staged: new Map() }
  beforeAll(async () => {
    it.browser = await launch()
    it.staged.set('full', await stage({ benchmark, runs, files }))
    it.staged.set('agreeing', await stage({ benchmark, runs, files: { ...files, '../../history.json': agreeing() } }))
    it.staged.set('alone', await stage({ benchmark: alone }))
  })
  afterAll(() => it.browser?.close())
  const opened = async (which: string, hash: string, width = 1280): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page } = await open(it.browser, `${it.staged.get(which)?.url}${hash}`, { viewport: { width, height: 900 } })
    return page
  }

  test('improve: the pass rates of the test say what their interval counts', async () => {
    const cards = (page: Page) => texts(page.locator('.figures .scope'))
    const [, , v0, best] = await cards(await opened('full', '#/improve'))
    expect(v0).toMatch(/^v0 on test cases50%95% CI .*mean pass rate of 5 cases; the interval .* each run/)
    expect(best).toContain('v2 on test cases')
    const [, , none, all] = await cards(await opened('agreeing', '#/improve'))
    for (const one of [none, all]) expect(one).toMatch(/mean pass rate of 12 cases; the interval .* each run/)
  })
  test('negative control: with enough cases that differ, the interval counts cases', async () => {
    const value = history.parse(JSON.parse(historyFile(plain)))
    if (value.test == null) throw new Error('a test')
    const tested = { ...value.test, gain: { ...value.test.gain, n_cases: 12 } }
    const text = JSON.stringify({ ...value, test: tested })
    it.staged.set('many', await stage({ benchmark, runs, files: { ...files, '../../history.json': text } }))
    const page = await opened('many', '#/improve')
    expect((await texts(page.locator('.figures .scope')))[2]).toMatch(/mean pass rate of 12 cases$/)
  })
  test('improve: a cost says what it is of; the first version had no proposal', async () => {
    const page = await opened('agreeing', '#/improve')
    const version = (at: number) => page.locator('article.version').nth(at)
    expect(await version(0).locator('p').first().textContent()).not.toMatch(/\$|cost/)
    expect(await version(1).locator('p').first().textContent()).toContain('cost of the proposal: not known')
  })
  test('improve: a refused proposal and remaining failures say what their numbers are', async () => {
    const page = await opened('full', '#/improve')
    const refused = page.locator('section[aria-labelledby=refused]')
    await expect.poll(() => refused.textContent()).toContain('cost of the proposal: $0.10')
    expect(await page.locator('.banner').textContent()).toContain('3 runs of cases 1, 2')
  })
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
