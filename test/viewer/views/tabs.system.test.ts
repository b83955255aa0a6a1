/** Tabs of artefacts beside a benchmark, in a real browser: each is there where its artefact is, and opens into all that it holds. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { triggersFile } from '../artefacts.ts'
import { launch, type Opened, open, texts, unfold, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { type Staged, stage } from '../stage.ts'

const names = ['#/compare', '#/triggers', '#/improve', '#/trend', '#/run/1/with_skill/1?tab=previous', '#/case/1']

withChromium('tabs of artefacts', () => {
  const it: { browser?: Browser; full?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    it.full = await stage({ benchmark, runs, files })
  })
  afterAll(() => it.browser?.close())
  const openedAt = (url: string, options = {}): Promise<Opened> => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, url, options)
  }
  const opened = async (hash: string) => (await openedAt(`${it.full?.url}${hash}`)).page
  const tabsIn = async ({ page }: Opened) => page.locator('header nav a').allTextContents()

  test('a tab is there where its artefact is, and nowhere else', async () => {
    const all = await openedAt(`${it.full?.url}`)
    await expect.poll(() => tabsIn(all)).toEqual(['Overview', 'Runs', 'Compare', 'Triggers', 'Improve', 'Trend'])
    const bare = await openedAt((await stage({ benchmark, runs })).url)
    await expect.poll(() => tabsIn(bare)).toEqual(['Overview', 'Runs'])
    for (const hash of ['#/audit', '#/compare', '#/triggers', '#/improve', '#/trend']) {
      await visit(bare.page, hash)
      await expect.poll(() => bare.page.locator('main').textContent()).toContain('This page does not have this view')
    }
    await visit(bare.page, '#/run/1/with_skill/1')
    await expect.poll(() => bare.page.getByRole('tab').allTextContents()).toEqual(['Transcript', 'Outputs 1', 'Raw'])
  })

  test('an artefact of no known form is shown as it is, and said to be', async () => {
    const odd = { '../../history.json': '{"odd":1}', '../../triggers/2026-01-15T11-00-00Z/triggers.json': '{"odd":2}' }
    const { page } = await openedAt((await stage({ benchmark, runs, files: { ...odd, '../../trend.json': '[' } })).url)
    await expect
      .poll(() => page.locator('header nav a').allTextContents())
      .toEqual(['Overview', 'Runs', 'Triggers', 'Improve'])
    for (const hash of ['#/triggers', '#/improve']) {
      await visit(page, hash)
      await expect.poll(() => page.locator('main').textContent()).toMatch(/not of a known form.*odd/s)
    }
  })

  test('triggers: the newest; rates with intervals, errors apart, what is wrong leads to its runs', async () => {
    const page = await opened('#/triggers')
    await expect.poll(() => page.locator('h1').textContent()).toBe('3 of 6 queries behave as they should')
    const banner = await page.locator('.banner').textContent()
    expect(banner).toContain('Of 18 planned runs 3 failed and 1 is missing: they are excluded from the rates')
    await expect
      .poll(() => page.locator('.figures .figure').allTextContents())
      .toEqual([
        '78%95% CI 39% to 89%',
        '75%95% CI 38% to 88%',
        '33%95% CI 17% to 67%',
        '60%95% CI 30% to 80%',
        '$0.14',
        '75%',
      ])
    const rows = await texts(page.locator('.query-row summary'))
    expect(rows[2]).toBe('wrongsplit the invoiceshould trigger1/3 95% CI 17% to 67%')
    expect(rows[4]).toContain('1 error2/2')
    expect(rows[5]).toContain('undecidedread this scan')
    await expect
      .poll(() => page.locator('#confusions + .card').textContent())
      .toContain('should trigger, does not33%xlsx (2)')
    await page.locator('#confusions + .card a', { hasText: 'split the invoice' }).click()
    const open = page.locator('.query-row details[open]')
    await open.locator('.query-runs').waitFor() // drawn when it is open
    await expect.poll(() => open.locator('.query-runs li').allTextContents()).toHaveLength(3)
    await expect.poll(() => open.textContent()).toContain('by Skill at response 1')
    expect(new URL(page.url()).hash).toBe('#/triggers?id=3')
    await page.getByText('Their queries').click()
    await page.waitForURL(/show=open/)
    await expect.poll(() => page.locator('.query-row').count()).toBe(2)
    await page.locator('.query-row', { hasText: 'read this scan' }).locator('summary').click()
    await page.locator('.query-row details[open] .query-runs').waitFor()
    await expect
      .poll(() => page.locator('.query-row details[open]').textContent())
      .toContain('rate_limited: 429: slow down')
  })

  test.each<[object, string]>([
    [{ runs_failed: 1, runs_missing: 0 }, 'Of 18 planned runs 1 failed: it is excluded from the rates.'],
    [{ runs_failed: 0, runs_missing: 2 }, 'Of 18 planned runs 2 are missing: they are excluded from the rates.'],
  ])('triggers: what is excluded from the rates: %o', async (more, said) => {
    const value = JSON.parse(triggersFile((text) => text))
    const text = JSON.stringify({ ...value, summary: { ...value.summary, ...more } })
    const staged = await stage({ benchmark, files: { '../../triggers/2026-01-15T11-00-00Z/triggers.json': text } })
    const { page } = await openedAt(`${staged.url}#/triggers`)
    await expect.poll(() => page.locator('.banner').textContent()).toContain(said)
  })

  test.each<[string, object, RegExp]>([
    ['cost more', { saved_share: -0.25 }, /nothing.*they took 25% more than runs that did not trigger/],
    ['cost what others did', { saved_share: 0 }, /0%.*an estimate against runs that did not trigger/],
    ['are held against none', { saved_share: null, basis: 'none' }, /unknown.*without stopping is unknown/],
  ])('triggers: runs that were ended early and %s', async (_what, more, said) => {
    const value = JSON.parse(triggersFile((text) => text))
    const text = JSON.stringify({ ...value, saving: { ...value.saving, ...more } })
    const staged = await stage({
      benchmark,
      runs,
      files: { '../../triggers/2026-01-15T11-00-00Z/triggers.json': text },
    })
    const { page } = await openedAt(`${staged.url}#/triggers`)
    await expect.poll(() => page.locator('.card', { hasText: 'saved by stopping early' }).textContent()).toMatch(said)
  })

  test('compare: verdict, both orders and scores before the key, which says who was who', async () => {
    const page = await opened('#/compare')
    const pair = page.locator('.pair-of-outputs')
    await expect.poll(() => pair.locator('summary').first().textContent()).toBe('A is better Case 1 · case-1 run 1')
    const [orders = '', scores = ''] = await texts(pair.locator('table'))
    expect(orders).toContain('BA7.55.5A adds upAA7.55.5')
    expect(scores).toContain('correctness the sums are right5.03.0')
    expect(scores).toContain('overall, 2 to 107.55.5')
    await expect.poll(() => pair.getByText('with skill').first().isVisible()).toBe(false)
    await pair.getByText('The key').click()
    await expect.poll(() => pair.locator('.key').textContent()).toMatch(/A is with skill.*B is without skill/)
    await pair.getByRole('link', { name: 'with skill', exact: true }).click()
    await page.waitForURL(/#\/run\/1\/with_skill\/1$/)
    await visit(page, '#/compare')
    await expect.poll(() => page.locator('main').textContent()).toContain('Say how pages are counted')
  })

  test('trend: points with intervals and costs; unknown is no zero', async () => {
    const page = await opened('#/trend')
    const rows = await texts(page.locator('.trend tbody tr'))
    expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringContaining('2026-01-15 10:00 +30[20, 40]70%40%15151515 claude-sonnet-4-5'),
      expect.stringContaining('2026-01-14 10:00'),
    ])
    await expect.poll(() => page.locator('#months + .card tbody tr').textContent()).toBe('2026-012$1.20––0')
  })

  test('the iteration before: its note, answer and files beside the run, or what differs', async () => {
    const page = await opened('#/run/1/with_skill/1')
    await expect.poll(() => page.locator('.notebox blockquote').textContent()).toContain('too long')
    await page.getByRole('tab', { name: 'Previous' }).click()
    const part = page.locator('#part')
    await part.getByText('it was done').waitFor()
    await expect.poll(() => part.textContent()).toContain('2026-01-14T10-00-00Z')
    await part.getByRole('button', { name: 'Show differences' }).click()
    await expect.poll(() => part.locator('.diff .gone').allTextContents()).toEqual(['− it was done\n', '− then\n'])
    await expect.poll(() => part.locator('.diff .new').allTextContents()).toEqual(['+ it is done\n', '+ now\n'])
    await visit(page, '#/run/1/without_skill/1')
    await expect.poll(() => page.getByRole('tab', { name: 'Previous' }).count()).toBe(0)
    await visit(page, '#/case/1')
    await expect.poll(() => page.locator('.notebox blockquote').textContent()).toContain('a hard case')
  })

  test('notes of a run and a case: downloaded, put beside, read again, and beside the next iteration', async () => {
    const staged = await stage({ benchmark, runs })
    const { page } = await openedAt(`${staged.url}#/run/1/with_skill/2`)
    await page.locator('textarea').fill('good')
    await visit(page, '#/case/1')
    await page.locator('textarea').fill('keep this case')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download feedback.json' }).click()
    await (await waiting).saveAs(path.join(staged.folder, 'feedback.json'))
    await staged.again()
    const fresh = await openedAt(`${staged.url}#/run/1/with_skill/2`)
    await expect.poll(() => fresh.page.locator('textarea').inputValue()).toBe('good')
    await visit(fresh.page, '#/case/1')
    await expect.poll(() => fresh.page.locator('textarea').inputValue()).toBe('keep this case')
    const text = JSON.stringify({ 'eval-1-with_skill-run-1': 'in the dialect of agentskills.io' })
    writeFileSync(path.join(staged.folder, 'feedback.json'), text)
    await staged.again()
    const other = await openedAt(`${staged.url}#/run/1/with_skill/1`)
    await expect.poll(() => other.page.locator('textarea').inputValue()).toBe('in the dialect of agentskills.io')
  })

  test.each(names)('axe finds nothing in either theme, and nothing is wider than the screen: %s', async (hash) => {
    const { page, errors } = await openedAt(`${it.full?.url}${hash}`, { bypassCSP: true, reducedMotion: 'reduce' })
    await unfold(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([])
    }
    for (const width of [360, 1200]) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    expect(errors).toEqual([])
  })
})
