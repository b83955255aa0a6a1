/** A benchmark with an attack in every field and every file name, and a browser in which the host of the attacks is listened to. */
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launchWhole, type Opened, open } from '../browser.ts'
import { stage } from '../stage.ts'
import { files, texts } from './attacks.ts'
import { canary } from './canary.ts'

export const everywhere = texts.join('\n')

/** A benchmark whose every text comes from the attacks. */
export function poisoned() {
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

export const events = [
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
export const fired = (page: Page) => page.evaluate('window.__canary')
const frames = Object.fromEntries(texts.map((text, index) => [`frames/${index}.html`, text]))
/** Where each attack is a page of its own. */
export const manyFrames = '#/run/1/without_skill/1?tab=outputs'

interface Lab extends AsyncDisposable {
  open(url: string): Promise<Opened>
  /** What left the browser for the host of the attacks: one entry a connection. */
  left(): Promise<string[]>
}

/** A browser in which the host of the attacks leads to a listener. */
export async function lab(): Promise<Lab> {
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

export const staged = () =>
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
export async function drawAll(page: Page): Promise<number> {
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
