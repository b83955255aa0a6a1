/** The Improve tab: what the certification decided, which edits went into which version, how the session ended. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type History, history } from '../../../schemas/history.ts'
import { launch, open, texts, unfold, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { historyFile, runningHistoryFile } from '../session_history.ts'
import { stage } from '../stage.ts'

const whole = history.parse(JSON.parse(historyFile((text) => text)))
type Certified = NonNullable<History['certification']>

function withCertification(more: Partial<Certified>): History {
  if (whole.certification == null) throw new Error('a certification')
  return { ...whole, certification: { ...whole.certification, ...more } }
}

withChromium('the Improve tab', () => {
  const it: { browser?: Browser; url: string } = { url: '' }
  beforeAll(async () => {
    it.browser = await launch()
    it.url = (await stage({ benchmark, runs, files })).url
  })
  afterAll(() => it.browser?.close())
  afterEach(() => Promise.all(it.browser?.contexts().map((context) => context.close()) ?? []).then(() => {}))
  const openedAt = async (url: string, width = 1280): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const viewport = { width, height: 900 }
    const { page } = await open(it.browser, url, { viewport, bypassCSP: true })
    await page.locator('main h1').waitFor()
    return page
  }
  const opened = (hash = '') => openedAt(`${it.url}#/improve${hash}`)
  const openedWith = async (value: object, width?: number) => {
    const staged = await stage({ benchmark, files: { ...files, '../../history.json': JSON.stringify(value) } })
    return openedAt(`${staged.url}#/improve`, width)
  }
  const section = (page: Page, id: string) => page.locator(`section[aria-labelledby="${id}"]`)

  test('the headline is the sentence of the certification, with its verdict and its scope', async () => {
    const page = await opened()
    expect(await page.locator('h1').textContent()).toBe(whole.certification?.sentence)
    expect(await page.locator('.lead .chip').allTextContents()).toEqual(['won', 'these cases only'])
  })
  test.each([
    ['tie', 'not won'],
    ['lost', 'not won: worse'],
  ] as const)('a certification that ends as %s, about similar cases', async (result, said) => {
    const page = await openedWith(withCertification({ result, scope: 'cases_like_these' }))
    expect(await page.locator('.lead .chip').allTextContents()).toEqual([said])
  })
  test('a session without a certification says why it ended before anything else', async () => {
    const page = await openedWith({ ...whole, certification: null, confirmations: undefined })
    expect(await page.locator('main h2').first().textContent()).toBe('How the session ended')
  })
  test('a session that runs says so, and states no verdict', async () => {
    const page = await openedWith(JSON.parse(runningHistoryFile((text) => text)))
    expect(await page.locator('.banner.running').count()).toBe(1)
    expect(await page.locator('.chip').count()).toBe(0)
  })
  test('negative control: a session that has ended has no such banner', async () => {
    expect(await (await opened()).locator('.banner').count()).toBe(0)
  })

  test('both versions with intervals, the gain that is their difference, and the p-value', async () => {
    const figures = (await opened()).locator('.figures .figure')
    expect(await figures.allTextContents()).toEqual([
      '50%95% CI 33% to 67%',
      '70%95% CI 55% to 85%',
      '+2095% CI +8 to +32',
      '0.002',
    ])
  })
  test('the significance level was spent once; where a case got worse, the test over cases counts too', async () => {
    const card = (await opened()).locator('.figures .card', { hasText: 'p-value' })
    const text = await card.textContent()
    expect(text).toContain('alpha 0.05: the significance level was spent once, here')
    expect(text).toContain('over the cases p = 0.008')
  })
  test('negative control: without such a case there is no test over cases', async () => {
    const better = withCertification({ cases: [{ eval_id: 3, v0: 0.2, candidate: 0.6 }] })
    const card = (await openedWith(better)).locator('.figures .card', { hasText: 'p-value' })
    expect(await card.textContent()).not.toContain('over the cases')
  })
  test('of few cases the interval says what it counts', async () => {
    const hint = async (page: Page) => page.locator('.figures .hint').first().textContent()
    expect(await hint(await opened())).toBe('mean pass rate of 12 cases, 0 to 100%')
    const gain = { mean: 0.2, ci_low: 0.1, ci_high: 0.3, method: null, n_cases: 5, n_runs: 30 }
    expect(await hint(await openedWith(withCertification({ gain })))).toMatch(/5 cases.*each run as one observation/)
  })
  test('without a graded pair there is no figure', async () => {
    const gain = { mean: 0, ci_low: null, ci_high: null, method: null, n_cases: 0, n_runs: 0 }
    const page = await openedWith(withCertification({ gain, cases: [], p_value: null }))
    expect(await page.locator('.figure').count()).toBe(0)
  })

  test('which judge decided, and how far the judge of the search disagrees', async () => {
    const text = await section(await opened(), 'certification').textContent()
    expect(text).toContain('Decided by a second judge: openai:gpt-5.')
    expect(text).toContain(
      'claude-haiku-4-5, disagrees on 18 of 360 decisions (5%). By its verdicts on the same runs the gain is +23',
    )
  })
  test.each<[Certified['judge'], number, string]>([
    [
      { kind: 'same', name: 'a judge' },
      1,
      'Decided by the judge of the search: a judge. The edits may have learned to please it',
    ],
    [{ kind: 'code', name: null }, 0, 'Decided by checks alone'],
  ])('a warning where it is the judge of the search: %j', async (judge, warnings, said) => {
    const page = await openedWith(withCertification({ judge }))
    expect(await page.locator('.banner').count()).toBe(warnings)
    expect(await section(page, 'certification').textContent()).toContain(said)
  })
  test('each guard with its mark', async () => {
    expect(await texts((await opened()).locator('.guards li'))).toEqual([
      '✓ cost × 1.10, at most × 1.20: within × 1.25',
      '? time: unknown for at least one version',
      '✓ no case got significantly worse',
    ])
  })
  test('held-out cases: the worst change first, rates and points agree', async () => {
    const rows = await texts(section(await opened(), 'held-out').locator('tbody tr'))
    expect(rows.slice(0, 2)).toEqual(['Case 1340%20%-20', 'Case 1280%80%0'])
    expect(rows).toHaveLength(12)
  })
  test('another engine is a row', async () => {
    const rows = await texts(section(await opened(), 'confirmations').locator('tbody tr'))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatch(/^codex:gpt-5Not shown to be better: pass rate 66% with v2, 62% with v0/)
  })

  test('the picture: kept edits lead into the next version, the others end', async () => {
    const picture = (await opened()).locator('.version-picture')
    expect(await texts(picture.locator('.node:visible bdi'))).toEqual(['v0', 'v1', 'v2'])
    const first = picture.locator('.strands').first()
    const led = first.locator('li', { has: first.page().locator('svg + a + svg') })
    expect(await texts(led.locator('bdi'))).toEqual(['1.1.1', '1.1.2', '1.2.1', '1.3.1'])
    expect(await first.locator('li').count()).toBe(8)
    expect(await first.getAttribute('aria-label')).toBe('Round 1: 4 of 8 edits kept')
  })
  test('a round: estimated rates, what the proposers saw, its runs', async () => {
    const round = (await opened()).locator('.round').first()
    expect(await texts(round.locator('h3, dd'))).toEqual([
      'Round 1: v0 → v1',
      '48% → 65% +17 points',
      '6 runs of v0 pass rate 50%',
      '42',
    ])
  })
  test('a round without a kept edit makes no version', async () => {
    const round = (await opened()).locator('.round').last()
    expect(await texts(round.locator('h3, dd'))).toEqual([
      'Round 3: v2 → no new version',
      '81%',
      '6 runs of v2 pass rate 83%',
      '40',
    ])
  })
  test('a proposal says its focus and what it cost; unknown is no zero', async () => {
    const all = await texts((await opened()).locator('.round').first().locator('.proposal > :is(h4, .hint)'))
    expect(all.slice(0, 2)).toEqual(['Proposal 1 wrong totals', 'claude-code:claude-opus-4-5 · 13,200 tokens · $0.20'])
    expect(all.at(-1)).toBe('claude-code · tokens not known · cost not known')
  })
  test('an edit in a line: its effect, kept or not; a small effect is no zero', async () => {
    const lines = await texts((await opened()).locator('.edit > summary'))
    expect(lines.filter((line) => /1\.1\.[13]|2\.1\.2|1\.2\.3/.test(line))).toEqual([
      '●1.1.1 Says how to add up+9kept',
      '○1.1.3 Asks before rounding-3not kept',
      '×1.2.3 Lists every pagerefused',
      '●2.1.2 Keeps two decimals+0.4kept',
    ])
  })
  test('its address opens an edit: why, runs, files, and folded its diff and its effect on each case', async () => {
    const page = await opened('?edit=1.1.1')
    const edit = page.locator('.edit[open]')
    expect(await texts(edit.locator('.edit-detail > :is(p, ul)'))).toEqual([
      'Runs of cases 1 and 4 failed where the skill says nothing: says how to add up',
      '19 runs with the edit, 17 without',
      'SKILL.md modified, +2 -1',
    ])
    expect(await edit.locator('.diff, table').count()).toBe(0)
    await unfold(page)
    expect(await texts(edit.locator('.diff > span').nth(2))).toEqual(['+Do it well.\n+Says how to add up.\n'])
    expect((await texts(edit.locator('tbody tr')))[0]).toBe('1 case-150%59%+9')
  })
  test('the picture leads to an edit, also by keyboard', async () => {
    const page = await opened()
    await page.getByRole('link', { name: '2.2.2' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.edit[open] .edit-id').textContent()).toBe('2.2.2')
  })
  test('what was refused says by which rule and why', async () => {
    const page = await opened('?edit=1.2.3')
    const refusals = await texts(page.locator('.edit-detail > p:has(.tag), .proposal > p:has(.tag)'))
    expect(refusals).toEqual(['leakage it holds the answer of a held-out case', 'no change no edit changes a file'])
  })
  test('it says once that effects are estimates, and only the whole was certified', async () => {
    const text = (await section(await opened(), 'rounds').textContent()) ?? ''
    expect(text.match(/search estimates/g)).toHaveLength(1)
    expect(text).toContain('only the whole was certified')
  })

  test('how it ended, what still fails, which proposer failed', async () => {
    const page = await opened()
    const all = await texts(section(page, 'session-end').locator('p, li'))
    expect(all).toEqual([
      'no edit No edit of round 3 has an effect above 0.',
      'wrong total 3 runs of cases 1, 2',
      'Round 2: the engine crashed tokens not known · cost not known',
    ])
  })
  test('where runs and money went', async () => {
    const facts = await texts(section(await opened(), 'spent').locator('dl > div'))
    expect(facts.slice(2)).toEqual([
      'search124 graded runs of 126 planned',
      'certification120 graded runs of 124 planned',
      'other engines120 graded runs',
      'cost of the proposals$1.00, without 3 proposals of unknown cost',
      'cost of the benchmarks$4.20, without 2 runs and gradings of unknown cost',
    ])
  })
  test('the split and the power', async () => {
    const text = await section(await opened(), 'fixed').textContent()
    expect(text).toContain('training cases1, 2, 4, 5, 7, 8 (6 cases)')
    expect(text).toContain('minimum detectable gain, power 0.8+16 points')
    expect(text).toContain('true gain+10: 45%, +20: 92%')
  })

  test('the diff of any two versions, by address too', async () => {
    const page = await opened()
    await page.locator('.diff').first().waitFor()
    const changed = () => page.locator('.pair h3').allTextContents()
    await expect.poll(changed).toEqual(['SKILL.md changed', 'scripts/merge.py added'])
    await expect.poll(() => page.locator('.diff .gone').textContent()).toContain('Do it.')
    await page.getByLabel('from version').selectOption('v2')
    await page.getByLabel('to version').selectOption('v0')
    expect(new URL(page.url()).hash).toBe('#/improve?from=v2&to=v0')
    await expect.poll(changed).toEqual(['SKILL.md changed', 'scripts/merge.py deleted'])
    await (await opened('?from=v0&to=v0')).getByText('No difference.', { exact: true }).waitFor()
  })
  test('a session of an older Whetstone is shown as it is', async () => {
    const page = await openedWith({ ...whole, schema_version: 1 })
    expect(await page.locator('.banner').textContent()).toContain('history.json is not of a known form')
  })
  test('a history of another tool is a tree of versions', async () => {
    const { started_at, skill_name, current_best, iterations } = whole
    const page = await openedWith({ started_at, skill_name, current_best, iterations })
    const depth = (name: string) =>
      page.locator('.version', { has: page.locator(`.name >> text="${name}"`) }).evaluate((one) => {
        let found = 0
        for (let at = one.closest('.versions'); at !== null; at = at.parentElement?.closest('.versions') ?? null)
          found += 1
        return found
      })
    expect(await Promise.all(['v0', 'v1', 'v2'].map(depth))).toEqual([1, 2, 3])
  })

  test.each(['light', 'dark'] as const)(
    'axe finds nothing with everything open: %s',
    { timeout: 120_000 },
    async (colorScheme) => {
      const page = await opened()
      await page.emulateMedia({ colorScheme })
      await unfold(page)
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
        .analyze()
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)).toEqual([])
    },
  )
  test.each([360, 400, 760, 1280])('nothing is wider than the screen: %i px', async (width) => {
    const page = await openedWith(whole, width)
    await unfold(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    const cut =
      '[...document.querySelectorAll("main .scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1).length'
    expect(await page.evaluate(cut)).toBe(0)
  })
})
