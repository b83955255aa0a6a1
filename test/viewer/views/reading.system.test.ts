/** A reader's way through the page in a real browser: Back, search, print, long and odd files. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const ids = Array.from({ length: 60 }, (_, index) => index + 1)
const benchmark = aggregate(
  inputOf(ids.flatMap((id) => [...arm(id, 'with_skill', ['++']), ...arm(id, 'without_skill', ['--'])])),
)
const outputs = {
  'big.json': '{"id": 12345678901234567890, "sum": 0.1}',
  'exact.json': '{"id": 1234567890123456, "sum": 1.50, "far": 1e21}',
  'long.txt': 'a line\n'.repeat(900),
  'cut.txt': 'a line\n'.repeat(40_000),
  'latin.csv': new Uint8Array(Array.from({ length: 400 }, () => 0xe9)),
  'blob.bin': new Uint8Array([0, 1, 2, 255]),
}
/** Of three bytes a character: what the page holds of it is short enough to compare. */
const far = (end: string) => `${'汉'.repeat(50_000)}\n`.repeat(2) + end

withChromium('reading', () => {
  const it: { browser?: Browser; staged?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    const runs = [
      { eval_id: 1, configuration: 'with_skill', run_number: 1, outputs: { ...outputs, 'far.txt': far('one') } },
      { eval_id: 1, configuration: 'without_skill', run_number: 1, outputs: { ...outputs, 'far.txt': far('two') } },
    ]
    it.staged = await stage({ benchmark, runs })
  })
  afterAll(() => it.browser?.close())
  const opened = async (hash = ''): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page } = await open(it.browser, `${it.staged?.url}${hash}`)
    return page
  }

  test('Back leads to the place and the selection that were left', async () => {
    const page = await opened('#/runs')
    for (let presses = 0; presses < 70; presses += 1) await page.keyboard.press('j')
    await page.waitForTimeout(200)
    const top = await page.evaluate('scrollY')
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
    const page = await opened('#/runs')
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
    const page = await opened('#/case/1')
    await page.keyboard.press('/')
    await page.keyboard.type('case:2')
    await page.keyboard.press('Enter')
    await page.locator('.run-row').first().waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search')
  })
  test('the arrows go through the parts of a run, which are one stop of Tab', async () => {
    const page = await opened('#/run/1/with_skill/1')
    await page.getByRole('tab', { name: 'Transcript' }).focus()
    const places = []
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
      await page.keyboard.press(key)
      places.push(await page.evaluate('document.activeElement.innerText'))
      await expect.poll(() => page.locator('[role=tab][tabindex="0"]').allTextContents()).toEqual([places.at(-1)])
    }
    expect(places).toEqual([expect.stringContaining('Outputs'), 'Raw', 'Transcript', 'Raw'])
    await expect.poll(() => page.locator('[role=tab][aria-selected=true]').textContent()).toBe('Raw')
  })
  test('Enter opens what is selected after a click beside it', async () => {
    const page = await opened('#/runs')
    await page.keyboard.press('j')
    await page.locator('h1').click()
    await page.locator('main').focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.verdicts').waitFor()
    expect(new URL(page.url()).hash).toBe('#/run/1/without_skill/1')
  })
  test('Escape clears the box and the filter', async () => {
    const page = await opened('#/runs?q=nothing-like-it')
    await expect.poll(() => page.locator('.run-row').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await page.locator('.run-row').first().waitFor()
    await expect.poll(() => page.locator('input[type=search]').inputValue()).toBe('')
    expect(new URL(page.url()).hash).toBe('#/runs')
  })
  test('on paper the frame is gone and the bars of the runs are there', async () => {
    const page = await opened()
    await page.emulateMedia({ media: 'print' })
    const display = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).display`)
    await expect.poll(() => display('header.bar')).toBe('none')
    await visit(page, '#/run/1/with_skill/1')
    await page.getByRole('tab', { name: 'Outputs' }).waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByRole('tab', { name: 'Transcript' }).isVisible()).toBe(true)
    await visit(page, '#/')
    for (const part of ['track', 'level']) await expect.poll(() => display(`.heat .${part}`)).not.toBe('none')
  })
  test('a long file has a bounded box that shows all on request, and a list leads to each', async () => {
    const page = await opened('#/run/1/with_skill/1?tab=outputs')
    await page.getByRole('navigation', { name: 'Files' }).getByRole('link', { name: 'long.txt' }).click()
    const file = page.locator('.output', { has: page.getByRole('heading', { name: 'long.txt' }) })
    await expect.poll(() => file.evaluate((one) => Math.abs(one.getBoundingClientRect().top))).toBeLessThan(200)
    const height = () => file.evaluate((one) => one.clientHeight)
    const before = await height()
    expect(before).toBeLessThan(800)
    await file.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => height()).toBeGreaterThan(5000)
  })
  test('a file that is cut says where the whole lies, one that is hidden says why', async () => {
    const page = await opened('#/run/1/with_skill/1?tab=outputs')
    const text = (name: string) => page.locator('.output', { has: page.getByRole('heading', { name }) }).textContent()
    expect(await text('cut.txt')).toContain('eval-1/with_skill/run-1/outputs/cut.txt')
    expect(await text('latin.csv')).toContain('not UTF-8')
    expect(await text('blob.bin')).toContain('binary')
  })
  test('of files that are cut no more is compared than the page holds, which it says; equal ones are known by their hash', async () => {
    const page = await opened('#/case/1?as=diff')
    const pair = page.locator('.pair', { has: page.getByRole('heading', { name: 'far.txt' }) })
    await pair.waitFor()
    await expect
      .poll(() => pair.textContent())
      .toMatch(/only the start of both.*No difference as far as the page holds them/)
    const cut = page.locator('.pair', { has: page.getByRole('heading', { name: 'cut.txt' }) })
    await expect.poll(() => cut.textContent()).toBe('cut.txtNo difference.')
  })
  test('JSON with numbers that a browser would change is shown as its source', async () => {
    const page = await opened('#/run/1/with_skill/1?tab=outputs')
    const file = (name: string) => page.locator('.output', { has: page.getByRole('heading', { name }) })
    await expect.poll(() => file('big.json').textContent()).toContain('12345678901234567890')
    await expect.poll(() => file('big.json').locator('.tree').count()).toBe(0)
    await expect.poll(() => file('exact.json').locator('.tree').count()).toBe(1)
  })
  test('at 360 px the verdicts of a case are on the screen', async () => {
    const page = await opened('#/case/1')
    await page.setViewportSize({ width: 360, height: 800 })
    const right = await page
      .locator('.matrix .pip')
      .last()
      .evaluate((one) => one.getBoundingClientRect().right)
    expect(right).toBeLessThanOrEqual(360)
    await visit(page, '#/')
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  })
})
