/** A run in a real browser: quotes lead to their places, outputs by their kind, long files, notes. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { shareBrowser, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { stageSmall } from '../sample.ts'
import { type Staged, stage } from '../stage.ts'

const lines = 'a line of it\n'.repeat(5000)
const evidence_at = { file: 'outputs/long.txt', line: 5001, start: lines.length, end: lines.length + 8 }
const evidence = 'long.txt ends with "far away"'
const expectations = [{ text: 'It ends', passed: true, evidence, evidence_at, decided_by: 'judge' }]
const quoting = aggregate(
  inputOf([...arm(1, 'with_skill', ['+'], { grading: { expectations } }), ...arm(1, 'without_skill', ['-'])]),
)

withChromium('a quote and its place', () => {
  const { show } = shareBrowser()
  const it = { url: '' }
  beforeAll(async () => {
    const say = (text: string) => ({ type: 'assistant', step: 1, text })
    const run = { eval_id: 1, configuration: 'with_skill', run_number: 1 }
    const events = [say('17 of 12 is wrong.\n7 of 12 is right.'), say('7 of 12 is right')]
    const outputs = { 'long.txt': `${lines}far away\n` }
    it.url = (await stage({ benchmark: quoting, runs: [{ ...run, events, outputs }] })).url
  })
  test('is marked and on the screen, and by its address again', async () => {
    const page = await show(it.url, '#/run/1/with_skill/1')
    await page.locator('.verdicts .quote').click()
    const mark = page.locator('#part mark')
    await mark.waitFor()
    await show(it.url, new URL(page.url()).hash)
    await expect.poll(() => mark.allTextContents()).toEqual(['far away'])
    expect(await mark.evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(900)
  })
  test('of the events that say it, the one that the address names is marked alone; the other tab forgets it', async () => {
    const page = await show(it.url, '#/run/1/with_skill/1?tab=transcript&event=0&at=19-26&mark=7%20of%2012')
    await expect.poll(() => page.locator('#part mark').allTextContents()).toEqual(['7 of 12'])
    expect(await page.locator('.timeline > li').first().locator('mark').count()).toBe(1)
    await page.getByRole('tab', { name: 'Outputs' }).click()
    expect(new URL(page.url()).hash).toBe('#/run/1/with_skill/1?tab=outputs')
  })
})

withChromium('what a run left', () => {
  const { show, fresh: reopen } = shareBrowser()
  const it: { small?: Staged; long?: Staged; full?: Staged } = {}
  beforeAll(async () => {
    it.small = await stageSmall()
    it.full = await stage({ benchmark, runs, files })
    const run = { eval_id: 1, configuration: 'with_skill', run_number: 1 }
    it.long = await stage({ benchmark: quoting, runs: [{ ...run, outputs: { 'long.txt': lines, 'more.txt': lines } }] })
  })

  test('run: outputs by type', async () => {
    const page = await show(it.small?.url, '#/run/1/with_skill/1?tab=outputs')
    await expect.poll(() => page.locator('.markdown h1').textContent()).toBe('Sales')
    await expect.poll(() => page.locator('.sheet td').nth(2).textContent()).toBe('a, b')
    await expect.poll(() => page.locator('.tree summary').first().textContent()).toContain('{')
    await expect.poll(() => page.locator('.c-word').first().textContent()).toMatch(/\w/)
    await expect.poll(() => page.locator('.output img').getAttribute('src')).toMatch(/^blob:/)
    const waiting = page.waitForEvent('download')
    await page.locator('.output', { hasText: 'blob.bin' }).getByRole('link', { name: 'Download' }).click()
    expect((await waiting).suggestedFilename()).toBe('blob.bin')
  })
  test('a long file has a bounded box that shows all on request, and a list leads to each', async () => {
    const page = await show(it.long?.url, '#/run/1/with_skill/1?tab=outputs')
    await page.getByRole('navigation', { name: 'Files' }).getByRole('link', { name: 'long.txt' }).click()
    const file = page.locator('.output', { has: page.getByRole('heading', { name: 'long.txt' }) })
    await expect.poll(() => file.evaluate((one) => Math.abs(one.getBoundingClientRect().top))).toBeLessThan(200)
    const height = () => file.evaluate((one) => one.clientHeight)
    const before = await height()
    expect(before).toBeLessThan(800)
    await file.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => height()).toBeGreaterThan(5000)
  })
  test('what differs from the iteration before, on request', async () => {
    const part = (await show(it.full?.url, '#/run/1/with_skill/1?tab=previous')).locator('#part')
    await part.getByRole('button', { name: 'Show differences' }).click()
    await expect.poll(() => part.locator('.diff .gone').allTextContents()).toEqual(['− it was done\n', '− then\n'])
    await expect.poll(() => part.locator('.diff .new').allTextContents()).toEqual(['+ it is done\n', '+ now\n'])
  })
  test('notes of a run and a case: downloaded, put beside, read again, and beside the next iteration', async () => {
    const staged = await stage({ benchmark, runs })
    const page = await reopen(`${staged.url}#/run/1/with_skill/2`)
    await page.locator('textarea').fill('good')
    await visit(page, '#/case/1')
    await page.locator('textarea').fill('keep this case')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download feedback.json' }).click()
    await (await waiting).saveAs(path.join(staged.folder, 'feedback.json'))
    await staged.again()
    const again = await reopen(`${staged.url}#/run/1/with_skill/2`)
    await expect.poll(() => again.locator('textarea').inputValue()).toBe('good')
    await visit(again, '#/case/1')
    await expect.poll(() => again.locator('textarea').inputValue()).toBe('keep this case')
    const text = JSON.stringify({ 'eval-1-with_skill-run-1': 'in the dialect of agentskills.io' })
    writeFileSync(path.join(staged.folder, 'feedback.json'), text)
    await staged.again()
    const other = await reopen(`${staged.url}#/run/1/with_skill/1`)
    await expect.poll(() => other.locator('textarea').inputValue()).toBe('in the dialect of agentskills.io')
  })
})
