/** Nothing of a run is ever HTML or script in the page: a corpus of attacks in every field, every view opened, in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launchWhole, type Opened, open, visit, withChromium } from '../browser.ts'
import { stage } from '../stage.ts'
import { files, texts } from './attacks.ts'
import { canary } from './canary.ts'

const everywhere = texts.join('\n')

/** A benchmark whose every text comes from the attacks. */
function poisoned() {
  const expectations = texts.map((text) => ({
    text,
    passed: true,
    evidence: `"${text}" ${everywhere}`,
    decided_by: text,
  }))
  const made = aggregate(
    inputOf([
      ...arm(1, 'with_skill', ['+'], { grading: { expectations } }),
      ...arm(1, 'without_skill', ['+'], { grading: { expectations } }),
      ...arm(2, 'with_skill', [null], { record: { status: 'failed', error: { kind: 'crash', message: everywhere } } }),
    ]),
  )
  return benchmarkSchema.parse({
    ...made,
    metadata: { ...made.metadata, skill_name: everywhere, skill_path: everywhere, executor_model: everywhere },
    cases: made.cases?.map((one) => ({ ...one, eval_name: everywhere, eval_key: everywhere })),
    notes: [...made.notes, ...texts],
  })
}

const events = [
  { type: 'user', step: 0, text: everywhere },
  ...texts.map((text) => ({ type: 'assistant', step: 1, text })),
  ...texts.map((text) => ({ type: text, step: 1, text, at: text })),
  { type: 'tool_call', step: 2, id: 'a', name: everywhere, input: { [everywhere.slice(0, 99)]: everywhere } },
  { type: 'tool_result', step: 2, id: 'a', name: everywhere, output: everywhere, is_error: true },
  { type: 'hook', step: 2, event: everywhere, outcome: 'blocked', text: everywhere },
  { type: 'error', step: 2, kind: everywhere, message: everywhere },
  { type: 'system', step: 0, subtype: everywhere, raw: { a: everywhere } },
  { type: 'result', step: 2, text: everywhere },
]
const views = [
  '#/',
  '#/runs',
  `#/runs?q=${encodeURIComponent(texts[0] ?? '')}`,
  '#/case/1',
  '#/case/1?as=diff',
  '#/run/1/with_skill/1',
  '#/run/1/with_skill/1?tab=outputs',
  `#/run/1/with_skill/1?tab=outputs&file=page.html&mark=${encodeURIComponent(texts[9] ?? '')}`,
  '#/run/1/with_skill/1?tab=raw',
  '#/run/2/with_skill/1',
  `#/${encodeURIComponent(texts[9] ?? '')}/%E0%A4%A`,
  '#/__proto__',
  '#/constructor',
]

const fired = (page: Page) => page.evaluate('window.__canary')
const frames = Object.fromEntries(texts.map((text, index) => [`frames/${index}.html`, text]))
const manyFrames = '#/run/1/without_skill/1?tab=outputs'

interface Lab extends AsyncDisposable {
  open(url: string): Promise<Opened>
  /** What left the browser for the host of the attacks: one entry a connection. */
  left(): Promise<string[]>
}

/** A browser in which the host of the attacks leads to a listener. */
async function lab(): Promise<Lab> {
  const outside = await canary()
  const last = await canary()
  const browser: Browser = await launchWhole({ 'canary.invalid': outside.port, 'last.invalid': last.port })
  return {
    open: (url) => open(browser, url),
    async left() {
      // what was asked for before has arrived when this has
      const page = await browser.newPage()
      await page.goto('http://last.invalid/').catch(() => {})
      await last.arrival()
      return outside.arrived()
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      for (const one of [outside, last]) await one[Symbol.asyncDispose]()
    },
  }
}

const staged = () =>
  stage({
    benchmark: poisoned(),
    runs: [
      {
        eval_id: 1,
        configuration: 'with_skill',
        run_number: 1,
        events,
        outputs: files,
        record: { final_response: everywhere },
      },
      { eval_id: 1, configuration: 'without_skill', run_number: 1, events, outputs: frames },
    ],
    prompts: { cases: [{ eval_id: 1, prompt: everywhere }] },
    files: { 'feedback.json': JSON.stringify({ [everywhere]: everywhere, 'eval-1-with_skill-run-1': everywhere }) },
  })

/** Draws every HTML output of the view in its frame. */
async function drawAll(page: Page): Promise<number> {
  const buttons = page.getByRole('button', { name: 'Draw it in a sealed frame' })
  await buttons.first().waitFor()
  const number = await buttons.evaluateAll((all) => {
    for (const one of all as unknown as { click(): void }[]) one.click()
    return all.length
  })
  await expect.poll(() => page.locator('iframe[sandbox=""][srcdoc]').count()).toBe(number)
  await page.waitForLoadState('networkidle')
  return number
}

withChromium('attacks in every field', () => {
  test('there are at least fifty', () => expect(texts.length + Object.keys(files).length).toBeGreaterThanOrEqual(70))

  test('no view runs anything, and nothing leaves', { timeout: 180_000 }, async () => {
    const { url } = await staged()
    await using it = await lab()
    const { page, errors } = await it.open(url)
    for (const hash of views) {
      await visit(page, hash)
      for (const summary of await page.locator('details:not([open]) > summary').all()) {
        if (await summary.isVisible()) await summary.click({ timeout: 2000 }).catch(() => {})
      }
      expect([hash, await fired(page)]).toEqual([hash, undefined])
    }
    expect([await it.left(), errors]).toEqual([[], []])
    await expect.poll(() => page.evaluate('document.body.textContent.includes("\\u202E")')).toBe(false)
  })

  test('nothing runs or leaves where HTML is drawn', { timeout: 180_000 }, async () => {
    const { url } = await staged()
    await using it = await lab()
    const { page, errors } = await it.open(`${url}${manyFrames}`)
    expect(await drawAll(page)).toBe(texts.length)
    expect(page.frames().length).toBeGreaterThan(texts.length)
    expect([await fired(page), await it.left(), errors]).toEqual([undefined, [], []])
  })

  test('HTML that is drawn keeps its words and styles', async () => {
    const html = '<style>h1 { color: rgb(1, 2, 3) }</style><h1 id=a style="margin-top: 7px">Sales</h1><p>of <b>May</b>'
    const run = { eval_id: 1, configuration: 'with_skill', run_number: 1, events, outputs: { 'page.html': html } }
    const { url } = await stage({ benchmark: poisoned(), runs: [run] })
    await using it = await lab()
    const { page } = await it.open(`${url}#/run/1/with_skill/1?tab=outputs`)
    await drawAll(page)
    const drawn = page.frameLocator('iframe[sandbox=""]')
    await expect.poll(() => drawn.locator('p').textContent()).toBe('of May')
    const style = 'getComputedStyle(document.querySelector("h1"))'
    const frame = page.frames()[1]
    expect(await frame?.evaluate(`[${style}.color, ${style}.marginTop]`)).toEqual(['rgb(1, 2, 3)', '7px'])
  })

  test('negative control: the same text as HTML, without the policy, fires and leaves', async () => {
    const { report, url } = await staged()
    const bare = readFileSync(report, 'utf8').replace(/<meta http-equiv[^>]*>/, '')
    writeFileSync(report, bare.replace('<body>', `<body><img src="http://canary.invalid/x"><div>${everywhere}</div>`))
    await using it = await lab()
    const seen = await it.open(url).catch(() => null)
    if (seen !== null) expect(await fired(seen.page)).toBeTruthy()
    expect(await it.left()).toContain('GET /x HTTP/1.1')
  })

  test('negative control: with the policy the same text as HTML does not', async () => {
    const { report, url } = await staged()
    const planted = '<img src=x onerror=window.__canary=1><img src="http://canary.invalid/x">'
    writeFileSync(report, readFileSync(report, 'utf8').replace('<body>', `<body>${planted}`))
    await using it = await lab()
    expect(await fired((await it.open(url)).page)).toBeUndefined()
    expect(await it.left()).toEqual([])
  })

  test('negative control: a frame that is not sealed opens a connection in spite of the policy', async () => {
    const { report, url } = await staged()
    const frame = '<iframe sandbox="" srcdoc="<iframe src=http://canary.invalid/x></iframe>"></iframe>'
    writeFileSync(report, readFileSync(report, 'utf8').replace('<body>', `<body>${frame}`))
    await using it = await lab()
    await it.open(url)
    expect((await it.left()).length).toBeGreaterThan(0)
  })
})
