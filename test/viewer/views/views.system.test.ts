/** Each view of the page in a real browser: what it shows, how it is reached, what the keyboard does. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, type Opened, open, visit, withChromium } from '../browser.ts'
import { everything, stageSmall } from '../sample.ts'
import { type Staged, stage } from '../stage.ts'

withChromium('the page in a browser', () => {
  const it: { browser?: Browser; small?: Staged; all?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.small = await stageSmall()
    it.all = await stage({ benchmark: everything })
  })
  afterAll(() => it.browser?.close())

  const opened = async (hash: string, which: 'small' | 'all' = 'small', options = {}): Promise<Opened> => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, `${it[which]?.url}${hash}`, options)
  }
  const textOf = (page: Page) => page.locator('main').textContent()

  test('overview: verdict, both scopes, arms, worst case first', async () => {
    const { page, errors } = await opened('')
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^\w[\w ]*: [+-][\d.]+ points, 95% CI \[/)
    const text = await textOf(page)
    for (const part of ['These cases', 'Similar cases', 'pass rate', 'Provenance']) expect(text).toContain(part)
    const [difference = ''] = /[+-][\d.]+ points, 95% CI \[[^\]]+\]/.exec(text ?? '') ?? []
    for (const number of difference.split(', ')) expect(text?.split(number)).toHaveLength(2)
    const noted = await opened('', 'all')
    expect(await textOf(noted.page)).toContain('Notes')
    await expect.poll(() => page.locator('.case-row .name').nth(0).textContent()).toContain('case-2')
    expect(errors).toEqual([])
  })
  test('what is missing stands before the numbers and leads to its runs', async () => {
    const { page } = await opened('', 'all')
    await page.locator('.banner a').first().click()
    await expect.poll(() => page.locator('.run-row').count()).toBeGreaterThan(0)
    expect(new URL(page.url()).hash).toContain('status')
  })
  test('case: prompt, statements by run, side by side, differences', async () => {
    const { page } = await opened('#/case/1')
    await expect.poll(() => textOf(page)).toContain('Add up the sales')
    await expect.poll(() => page.locator('.matrix .pip.pass').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Differences' }).click()
    await expect.poll(() => page.locator('.diff .gone').first().textContent()).toContain('by with_skill')
    expect(new URL(page.url()).hash).toContain('as=diff')
  })
  test('run: a quote leads to the output, another to the transcript, and is marked there', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    await page.getByRole('button', { name: '"Total: 1284.50"' }).click()
    await expect.poll(() => page.locator('#part mark').first().textContent()).toBe('Total: 1284.50')
    const address = page.url()
    await page.getByRole('button', { name: '"north,1284.50"' }).click()
    await page.locator('#part mark').first().waitFor()
    expect(new URL(page.url()).hash).toMatch(/mark=north/)
    await expect.poll(() => page.locator('.verdicts').textContent()).toContain('unverified')
    const again = await opened(new URL(address).hash)
    await expect.poll(() => again.page.locator('#part mark').first().textContent()).toBe('Total: 1284.50')
  })
  test('run: outputs by type', async () => {
    const { page } = await opened('#/run/1/with_skill/1?tab=outputs')
    await expect.poll(() => page.locator('.markdown h1').textContent()).toBe('Sales')
    await expect.poll(() => page.locator('.sheet td').nth(2).textContent()).toBe('a, b')
    await expect.poll(() => page.locator('.tree summary').first().textContent()).toContain('{')
    await expect.poll(() => page.locator('.c-word').first().textContent()).toMatch(/\w/)
    await expect.poll(() => page.locator('.output img').getAttribute('src')).toMatch(/^blob:/)
    const waiting = page.waitForEvent('download')
    await page.locator('.output', { hasText: 'blob.bin' }).getByRole('link', { name: 'Download' }).click()
    expect((await waiting).suggestedFilename()).toBe('blob.bin')
  })
  test('run: the transcript tells calls, hooks and errors apart', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    const call = page.locator('.event.tool_call summary')
    await expect.poll(() => call.textContent()).toMatch(/Read.*3\.0 s · 13 characters/s)
    await expect.poll(() => page.locator('.event.bad').count()).toBe(2)
    await call.click()
    await expect.poll(() => page.locator('.event.tool_call').textContent()).toContain('north,1284.50')
  })
  test('filters', async () => {
    const { page } = await opened('#/runs')
    const left = async (query: string) => {
      await visit(page, `#/runs?q=${encodeURIComponent(query)}`)
      return [query, await page.locator('.run-row').count()]
    }
    const wanted = [
      ['status:failed', 6],
      ['arm:with_skill', 4],
      ['-arm:with_skill case:2', 2],
      ['rate>0.5', 4],
      ['is:regression', 4],
      ['is:unverified', 2],
      ['case-1', 4],
      ['nothing-like-it', 0],
      ['failed:"a source"', 2],
      ['-failed:source', 6],
      ['passed:source', 0],
      ['passed:"FILE was"', 2],
      ['rate>50%', 4],
      ['tokens>=1,000 time<1,000s', 8],
    ] as const
    for (const [query, number] of wanted) await expect.poll(() => left(query)).toEqual([query, number])
    const told = page.locator('.not-understood')
    await expect.poll(() => told.count()).toBe(0)
    for (const odd of ['-time>soon', 'is:flip']) {
      await left(`case:1 ${odd}`)
      await expect.poll(() => told.textContent()).toContain(`${odd} is not understood`)
    }
  })
  test('keyboard: down, open, up, search, help, theme', async () => {
    const { page } = await opened('#/runs')
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
  test('keys that come at once, without a frame between, all count', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    const press = async (...keys: string[]) => {
      const events = keys.map((key) => `dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)} }))`)
      await page.evaluate(`(async () => { ${events.join('; await null; await null; ')} })()`)
      return new URL(page.url()).hash
    }
    expect(await press(']', ']')).toBe('#/run/1/without_skill/1')
    expect(await press('u', 'u')).toBe('#/')
    expect(await press('2', 'j', 'Enter')).toBe('#/run/1/with_skill/1')
  })
  test('at the end of a case the next run is the first of the next case', async () => {
    const { page } = await opened('#/run/1/without_skill/2')
    await page.keyboard.press(']')
    await page.waitForURL(/#\/run\/2\/with_skill\/1$/)
    await page.getByText('← Previous run').click()
    await page.waitForURL(/#\/run\/1\/without_skill\/2$/)
    await page.goto(page.url().replace(/#.*/, '#/run/2/without_skill/2'))
    await page.getByText('← Previous run').waitFor()
    await expect.poll(() => page.getByText('Next run →').count()).toBe(0)
  })
  test('a note is downloaded as feedback.json', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    await page.locator('textarea').fill('good, but slow')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download feedback.json' }).click()
    const stream = await (await waiting).createReadStream()
    const parts: Buffer[] = []
    for await (const part of stream) parts.push(part as Buffer)
    expect(JSON.parse(Buffer.concat(parts).toString('utf8'))).toMatchObject({
      reviews: [{ run_id: 'eval-1-with_skill-run-1', feedback: 'good, but slow' }],
    })
  })
})
