/** Each view of the page in a real browser: what it shows, how it is reached, what the keyboard does. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../src/phases/4-report/aggregate.ts'
import { arm, inputOf, oneOfEverything } from '../phases/4-report/fixture.ts'
import { launch, type Opened, open, visit, withChromium } from './browser.ts'
import { type Staged, stage } from './stage.ts'

const at = (second: number) => `2026-01-15T10:30:${String(second).padStart(2, '0')}.000Z`
const events = [
  { type: 'user', at: at(0), step: 0, text: 'Add up the sales' },
  { type: 'assistant', at: at(1), step: 1, text: 'I read the file first.' },
  { type: 'tool_call', at: at(2), step: 1, id: 'a', name: 'Read', input: { file: 'sales.csv' } },
  { type: 'tool_result', at: at(5), step: 1, id: 'a', name: 'Read', output: 'north,1284.50', is_error: false },
  { type: 'hook', at: at(6), step: 1, event: 'PreToolUse', outcome: 'blocked', text: 'no network here' },
  { type: 'error', at: at(7), step: 2, kind: 'overloaded', message: 'the model was busy' },
  {
    type: 'result',
    at: at(8),
    step: 2,
    text: 'The total is 1284.50',
    stop_reason: 'end_turn',
    usage: null,
    cost_usd: null,
  },
]
const expectations = [
  { text: 'The total is 1284.50', passed: true, evidence: 'report.md says "Total: 1284.50"', decided_by: 'judge' },
  { text: 'The file was read', passed: true, evidence: 'the tool gave "north,1284.50"', decided_by: 'judge' },
  { text: 'It cites a source', passed: false, evidence: 'it says "as Smith wrote"', evidence_verified: 'absent' },
]
const levels = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']
const everything = aggregate(oneOfEverything)
const small = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['++-', '++-'], { grading: { expectations } }),
    ...arm(1, 'without_skill', ['+--', '---']),
    ...arm(2, 'with_skill', ['--', '+-']),
    ...arm(2, 'without_skill', ['++', '++']),
  ]),
)
const runs = small.runs.map(({ eval_id, configuration, run_number }) => ({
  eval_id,
  configuration,
  run_number,
  events,
  outputs: {
    'report.md': `# Sales\n\nTotal: 1284.50\nby ${configuration}\n`,
    'data.csv': 'region,sum\nnorth,1284.50\n"a, b",2\n',
    'tree.json': '{"deep":{"list":[1,2,{"x":null}]}}',
    'code.py': 'def total(x):\n    return x  # sum\n',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    'blob.bin': new Uint8Array([0, 1, 2, 255]),
  },
}))

withChromium('the page in a browser', () => {
  const it: { browser?: Browser; small?: Staged; all?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.small = await stage({ benchmark: small, runs, prompts: { cases: [{ eval_id: 1, prompt: 'Add up the sales' }] } })
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
    expect(await page.locator('h1').textContent()).toMatch(/^With the skill the agent meets/)
    const text = await textOf(page)
    for (const part of ['On these cases', 'For cases like these', 'expectations met', 'Notes', 'Provenance']) {
      expect(text).toContain(part)
    }
    expect(await page.locator('.case-row .name').nth(0).textContent()).toContain('case-2')
    expect(errors).toEqual([])
  })
  test('what is missing stands before the numbers and leads to its runs', async () => {
    const { page } = await opened('', 'all')
    await page.locator('.banner a').first().click()
    expect(await page.locator('.run-row').count()).toBeGreaterThan(0)
    expect(new URL(page.url()).hash).toContain('status')
  })
  test('case: prompt, statements by run, side by side, differences', async () => {
    const { page } = await opened('#/case/1')
    expect(await textOf(page)).toContain('Add up the sales')
    expect(await page.locator('.matrix .pip.pass').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Differences' }).click()
    expect(await page.locator('.diff .gone').first().textContent()).toContain('by with_skill')
    expect(new URL(page.url()).hash).toContain('as=diff')
  })
  test('run: a quote leads to the output, another to the transcript, and is marked there', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    await page.getByRole('button', { name: '"Total: 1284.50"' }).click()
    expect(await page.locator('#part mark').first().textContent()).toBe('Total: 1284.50')
    const address = page.url()
    await page.getByRole('button', { name: '"north,1284.50"' }).click()
    await page.locator('#part mark').first().waitFor()
    expect(new URL(page.url()).hash).toMatch(/mark=north/)
    expect(await page.locator('.verdicts').textContent()).toContain('unverified')
    const again = await opened(new URL(address).hash)
    expect(await again.page.locator('#part mark').first().textContent()).toBe('Total: 1284.50')
  })
  test('run: outputs by type', async () => {
    const { page } = await opened('#/run/1/with_skill/1?tab=outputs')
    expect(await page.locator('.markdown h1').textContent()).toBe('Sales')
    expect(await page.locator('.sheet td').nth(2).textContent()).toBe('a, b')
    expect(await page.locator('.tree summary').first().textContent()).toContain('{')
    expect(await page.locator('.c-word').first().textContent()).toMatch(/\w/)
    expect(await page.locator('.output img').getAttribute('src')).toMatch(/^blob:/)
    const waiting = page.waitForEvent('download')
    await page.locator('.output', { hasText: 'blob.bin' }).getByRole('link', { name: 'Download' }).click()
    expect((await waiting).suggestedFilename()).toBe('blob.bin')
  })
  test('run: the transcript tells calls, hooks and errors apart', async () => {
    const { page } = await opened('#/run/1/with_skill/1')
    const call = page.locator('.event.tool_call summary')
    expect(await call.textContent()).toMatch(/Read.*3\.0s · 13 characters/s)
    expect(await page.locator('.event.bad').count()).toBe(2)
    await call.click()
    expect(await page.locator('.event.tool_call').textContent()).toContain('north,1284.50')
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
    ] as const
    for (const [query, number] of wanted) expect(await left(query)).toEqual([query, number])
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
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('/')
    await page.keyboard.type('j')
    expect(await page.locator('input[type=search]').inputValue()).toBe('j')
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
  test.each(['#/', '#/runs', '#/case/1', '#/run/1/with_skill/1', '#/run/1/with_skill/1?tab=outputs'])(
    'axe finds nothing in either theme: %s',
    async (hash) => {
      const { page, errors, requests } = await opened(hash, 'small', { bypassCSP: true })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const { violations } = await new AxeBuilder({ page }).withTags(levels).analyze()
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([])
      }
      expect(errors).toEqual([])
      expect(requests.filter((url) => !/^(file|blob|data):/.test(url))).toEqual([])
    },
  )
  test('no view is wider than the screen', async () => {
    const { page } = await opened('', 'all')
    for (const width of [360, 800, 1200, 2560, 3840]) {
      await page.setViewportSize({ width, height: 900 })
      for (const hash of ['#/', '#/runs', '#/case/2']) {
        await visit(page, hash)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      }
    }
  })
})
