/** Nothing of a run is ever HTML or script in the page: a corpus of attacks in every field, every view opened, in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { aggregate } from '../../src/phases/4-report/aggregate.ts'
import { arm, inputOf } from '../phases/4-report/fixture.ts'
import { files, texts } from './attacks.ts'
import { launch, type Opened, open, visit, withChromium } from './browser.ts'
import { stage } from './stage.ts'

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
const outside = ({ requests }: Opened) => requests.filter((url) => !/^(file|blob|data|about):/.test(url))

withChromium('attacks in every field', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())
  const opened = (url: string) => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, url)
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
        { eval_id: 1, configuration: 'without_skill', run_number: 1, events, outputs: files },
      ],
      prompts: { cases: [{ eval_id: 1, prompt: everywhere }] },
      files: { 'feedback.json': JSON.stringify({ [everywhere]: everywhere, 'eval-1-with_skill-run-1': everywhere }) },
    })

  test('there are at least fifty', () => expect(texts.length + Object.keys(files).length).toBeGreaterThanOrEqual(70))

  test('no view runs or asks for anything', { timeout: 180_000 }, async () => {
    const { url } = await staged()
    const seen = await opened(url)
    const { page } = seen
    for (const hash of views) {
      await visit(page, hash)
      for (const summary of await page.locator('details:not([open]) > summary').all()) {
        if (await summary.isVisible()) await summary.click({ timeout: 2000 }).catch(() => {})
      }
      expect([hash, await fired(page)]).toEqual([hash, undefined])
    }
    await visit(page, '#/run/1/with_skill/1?tab=outputs')
    await page.getByRole('button', { name: 'Draw it in a sealed frame' }).first().click()
    await page.waitForTimeout(300)
    expect(await page.locator('iframe[sandbox]').first().getAttribute('sandbox')).toBe('')
    expect([await fired(page), outside(seen), seen.errors]).toEqual([undefined, [], []])
    expect(await page.evaluate('document.body.textContent.includes("\\u202E")')).toBe(false)
  })

  test('negative control: the same text as HTML, without the policy, fires', async () => {
    const { report, url } = await staged()
    const bare = readFileSync(report, 'utf8').replace(/<meta http-equiv[^>]*>/, '')
    writeFileSync(report, bare.replace('<body>', `<body><div>${everywhere}</div>`))
    const seen = await opened(url).catch(() => null)
    expect(seen === null ? 1 : ((await fired(seen.page)) ?? outside(seen).length)).toBeTruthy()
  })

  test('negative control: with the policy the same text as HTML does not', async () => {
    const { report, url } = await staged()
    writeFileSync(
      report,
      readFileSync(report, 'utf8').replace('<body>', `<body><div><img src=x onerror=window.__canary=1>`),
    )
    expect(await fired((await opened(url)).page)).toBeUndefined()
  })
})
