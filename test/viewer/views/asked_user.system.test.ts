/** Runs that ended with a question to the user, in a real browser: seen in the list and on the run, and found by a filter. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const asked = { record: { asked_user: { via: 'AskUserQuestion', question: 'Which format?' } } }

withChromium('runs that asked the user', () => {
  const it: { browser?: Browser; some?: Staged; none?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    const without = arm(1, 'without_skill', ['+', '+'])
    it.some = await stage({ benchmark: aggregate(inputOf([...arm(1, 'with_skill', ['-', '-'], asked), ...without])) })
    it.none = await stage({ benchmark: aggregate(inputOf([...arm(1, 'with_skill', ['-', '-']), ...without])) })
  })
  afterAll(() => it.browser?.close())
  const opened = async (which: 'some' | 'none', hash: string) => {
    if (it.browser === undefined) throw new Error('no browser')
    return (await open(it.browser, `${it[which]?.url}${hash}`)).page
  }

  test('the list has a filter for them, and the run says it', async () => {
    const page = await opened('some', '#/runs')
    await expect.poll(() => page.locator('.run-row').count()).toBe(4)
    await page.locator('button.chip', { hasText: 'asked the user' }).click()
    await expect.poll(() => page.locator('.run-row').count()).toBe(2)
    await expect.poll(() => page.locator('.run-row').first().textContent()).toContain('asked the user')
    await page.locator('.run-row').first().click()
    await expect.poll(() => page.locator('h1').textContent()).toContain('asked the user')
    await visit(page, '#/run/1/without_skill/1')
    await expect.poll(() => page.locator('h1').textContent()).toContain('without skill')
    expect(await page.locator('h1').textContent()).not.toContain('asked the user')
  })
  test('where no run asked there is no such filter', async () => {
    const page = await opened('none', '#/runs')
    await expect.poll(() => page.locator('.run-row').count()).toBe(4)
    expect(await page.locator('button.chip', { hasText: 'asked the user' }).count()).toBe(0)
  })
})
