/** What is missing, in a real browser: undecided, timed out, crashed and stuck are seen, add up and lead to their runs. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf, oneOfEverything } from '../../phases/4-report/fixture.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { type Staged, stage } from '../stage.ts'

const crash = { status: 'failed', error: { kind: 'crash', message: 'the agent died: out of memory' } }
const uneven = aggregate(
  inputOf([
    ...arm(1, 'with_skill', ['+?']),
    ...arm(1, 'without_skill', ['+?', '+?', '+?', '+?']),
    ...arm(2, 'with_skill', ['--', '--', '--', '--']),
    ...arm(2, 'without_skill', ['+-']),
    ...arm(3, 'with_skill', ['++']),
    ...arm(3, 'without_skill', [null], { record: crash }),
  ]),
)
const runs = uneven.runs.map(({ eval_id, configuration, run_number }) => ({ eval_id, configuration, run_number }))
const crashed = { eval_id: 3, configuration: 'without_skill', run_number: 1, record: { ...crash, final_response: '' } }

withChromium('what is missing', () => {
  const it: { browser?: Browser; all?: Staged; uneven?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.all = await stage({ benchmark: aggregate(oneOfEverything) })
    it.uneven = await stage({ benchmark: uneven, runs: [...runs, crashed] })
  })
  afterAll(() => it.browser?.close())
  const opened = async (which: 'all' | 'uneven', hash = ''): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page } = await open(it.browser, `${it[which]?.url}${hash}`)
    return page
  }
  const found = async (page: Page, query: string) => {
    await visit(page, `#/runs?q=${encodeURIComponent(query)}`)
    return page.locator('.run-row').count()
  }

  test('the chips of a group stand in a line', async () => {
    const page = await opened('all')
    const tops = await page
      .locator('.banner .chips')
      .first()
      .locator('.chip')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    expect(tops).toHaveLength(4)
    expect(new Set(tops).size).toBe(1)
  })
  test('every chip of the banner leads to as many runs or cases as it says', async () => {
    const page = await opened('all')
    const chips: [string, string][] = await page
      .locator('.banner a')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')]))
    expect(chips.map(([text]) => text)).toEqual([
      '2 runs with a judge error',
      '1 run failed (rate limited)',
      '1 run missing',
      '1 run cancelled',
      '1 case',
      '1 run timed out',
      '2 runs ungraded by design',
    ])
    for (const [text, href] of chips) {
      await visit(page, href)
      if (text === '1 case') expect(await page.locator('#why').isVisible()).toBe(true)
      else expect([text, await page.locator('.run-row').count()]).toEqual([text, text.startsWith('2') ? 2 : 1])
    }
  })
  test('a chip leads to the runs of which something stayed undecided', async () => {
    const page = await opened('uneven')
    const chip = page.locator('.banner a', { hasText: '5 of 10 expectations and checks in 5 runs' })
    await visit(page, (await chip.getAttribute('href')) ?? '')
    await expect.poll(() => page.locator('.run-row').count()).toBe(5)
  })
  test('a partly undecided run does not look perfect', async () => {
    const page = await opened('uneven', '#/case/1')
    await expect.poll(() => page.locator('h1').textContent()).toContain('5 of 10 undecided')
    await expect.poll(() => page.locator('.pip.undecided').count()).toBe(5)
    await expect.poll(() => page.locator('.matrix tbody tr').count()).toBe(3)
    await visit(page, '#/run/1/with_skill/1')
    await expect.poll(() => page.locator('h1 .chip.pass').count()).toBe(0)
    await expect.poll(() => page.locator('h1').textContent()).toContain('1 of 2 undecided')
    await expect
      .poll(() => page.locator('.verdicts .undecided').textContent())
      .toContain('no usable answer after one repair')
    await expect.poll(() => found(page, 'is:error case:1')).toBe(5)
    await expect.poll(() => page.locator('.run-row').first().textContent()).toContain('1 of 2 undecided')
    await expect.poll(() => found(page, 'status:passed case:1')).toBe(0)
    await expect.poll(() => found(page, 'status:passed case:3')).toBe(1)
  })
  test('a time-out is said of the run and found', async () => {
    const page = await opened('all')
    await expect.poll(() => found(page, 'status:timed_out')).toBe(1)
    await expect.poll(() => page.locator('.run-row').textContent()).toContain('timed out')
    await page.locator('.run-row').click()
    await expect.poll(() => page.locator('h1').textContent()).toContain('timed out')
  })
  test('a case that cannot run or crashed says why, in its row, on its page, in place of an answer', async () => {
    const page = await opened('all', '#/case/6')
    await expect
      .poll(() => page.locator('.banner').textContent())
      .toContain('cannot run: evals/files/missing.csv: no such file')
    const other = await opened('uneven')
    const row = other.locator('.case-row', { hasText: 'case-3' })
    await expect.poll(() => row.textContent()).toContain('without skill: 1 run failed (crash)')
    await row.click()
    await expect.poll(() => other.locator('.banner').textContent()).toContain('the agent died: out of memory')
    await other.locator('.beside .empty', { hasText: 'No answer: failed (crash): the agent died' }).waitFor()
  })
  test('the interval is that of the difference beside it, over the cases graded in both', async () => {
    const page = await opened('uneven')
    const verdict = await page.locator('h1').textContent()
    const { mean = 0, ci_low, ci_high } = uneven.statistics?.scopes?.these_cases.difference ?? {}
    expect(verdict).toContain(`: ${Math.round((mean ?? 0) * 100)} points`)
    expect(uneven.statistics?.unpaired_cases).not.toEqual([])
    const ends = [ci_low, ci_high].map((end) => Math.round(100 * Math.abs(end ?? 0)))
    expect(verdict).toContain(`95% CI [-${ends[0]}, ${ends[1]}]`)
  })
  test('marks stay outside of the clamp of a name', async () => {
    const page = await opened('uneven')
    const tag = page.locator('.case-row .tag', { hasText: 'regression' }).first()
    await expect.poll(() => tag.evaluate((one) => one.closest('.title') === null)).toBe(true)
    await page.locator('.case-row', { hasText: 'case-2' }).click()
    await expect.poll(() => page.locator('h1').textContent()).toContain('regression')
  })
})
