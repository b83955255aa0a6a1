/** What eval left opens in the viewer: verdicts with their evidence, scores, reports; several evals have an index. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { launch, open, texts, visit, withChromium } from '../../viewer/browser.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { copyOf } from '../practised.ts'
import { copyOfExample, evaluated, practisedHere } from './aam.ts'

const made: Record<string, string> = {}
beforeAll(async () => {
  const broken = copyOfExample((replace) => {
    replace('evals/cases/audit.yaml', '`AUDIT`.', '`SOMETHING ELSE`.')
    replace('evals/cases/open-book.yaml', 'files-created:\n    - open/april.csv', 'files-created:\n    - open/may.csv')
    replace('evals/cases/sum-of-april.yaml', 'name: sum-of-april', 'name: [sum')
  })
  const ran = await evaluated(broken, ['--engine', 'anthropic:practice-1', '--sandbox', 'off', '--report'])
  made.aam = ran.result().folder
  const golden = copyOf('example-golden')
  golden.change('ledger/tools.md', 'You move no money', 'You may move money')
  made.golden = (await practisedHere(golden)).suites[0].folder
  const markdown = copyOf('example-eval-md')
  await practisedHere(markdown)
  await practisedHere(markdown)
  made.many = markdown.workspace
})

const viewed = async (folder: string, flags: readonly string[] = []) => {
  const end = await runMain(['view', folder, '--no-open', ...flags], { cwd: '/' })
  return { end, page: `/${/^page (.+)$/m.exec(end.stdout)?.[1]}` }
}

describe('view', () => {
  test('an eval folder: one arm, and the verdicts of eval.json', async () => {
    const { end, page } = await viewed(made.aam ?? '')
    expect(end.code, end.stderr).not.toBe(2)
    expect(end.stdout).not.toContain('With the skill')
    const { arms, said, extras } = pageIn(readFileSync(page, 'utf8'))
    expect(arms).toEqual(['subject'])
    expect(said.headline).toBe('1 of 4 cases passes, 2 fail, 1 has no verdict.')
    expect(extras.evaluation).toMatchObject({
      value: { format: 'aam', summary: { passed: 1, failed: 2, skipped: 1 }, reports: [{ model: 'practice-1' }] },
    })
  })
  test('its workspace: that eval; of several an index that leads to each page', async () => {
    expect((await viewed(path.dirname(path.dirname(made.aam ?? '')))).page).toBe(
      path.join(made.aam ?? '', 'report.html'),
    )
    const { page } = await viewed(made.many ?? '')
    expect(page).toBe(path.join(made.many ?? '', 'evals/index.html'))
    const text = readFileSync(page, 'utf8')
    const links = [...text.matchAll(/href="([^"#]+report\.html)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThanOrEqual(6)
    for (const link of links) expect(existsSync(path.join(path.dirname(page), link))).toBe(true)
    expect(text).toContain('6 evals: 8 of 8 cases pass.')
    expect((await viewed(path.join(made.many ?? '', 'evals'))).page).toBe(page)
    expect(existsSync(path.join(made.many ?? '', 'benchmark.json'))).toBe(false)
  })
})

withChromium('the page of an eval', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())
  const opened = async (folder: string) => {
    const { page } = await viewed(folder)
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, `file://${page}`, { bypassCSP: true })
  }
  test('each verdict with its reason, its tags and its run; the search chooses among them', async () => {
    const { page, errors } = await opened(made.aam ?? '')
    const rows = await texts(page.locator('.verdicts tbody tr'))
    expect(rows).toHaveLength(4)
    expect(rows.find((row) => row.startsWith('audit'))).toMatch(
      /agent:auditor.*fail.*SOMETHING ELSE.*1 of 1 check passed/s,
    )
    expect(rows.find((row) => row.startsWith('open-book'))).toMatch(/fail.*open\/may\.csv.*1 of 2 checks passed/s)
    expect(rows.find((row) => row.startsWith('[sum') || row.includes('skip'))).toMatch(/sum-of-april\.yaml:\d+:\d+/)
    await page.locator('.verdicts tr', { hasText: 'audit' }).getByText('Show the run').click()
    await page.waitForURL(/#\/run\/\d+\/subject\/1/)
    await visit(page, '#/case/1')
    await expect.poll(() => page.locator('.case-verdict').textContent()).toMatch(/fail.*SOMETHING ELSE/s)
    await visit(page, '#/?q=skip')
    await expect.poll(() => page.locator('.verdicts tbody tr').count()).toBe(1)
    await expect.poll(() => page.locator('#reports + .card tbody tr').count()).toBe(1)
    expect(errors).toEqual([])
  })
  test('of golden tests the scores, and hard fails before anything else of their row', async () => {
    const { page } = await opened(made.golden ?? '')
    const [transfer = '', rent = ''] = await texts(page.locator('.verdicts tbody tr'))
    expect(transfer).toMatch(/001_transfer.*decline.*fail.*hard fail/s)
    expect(rent).toMatch(/persona_fidelity 5 · output_quality 5 = 5\.00/)
  })
  test('axe finds nothing in either theme, and nothing is wider than the screen', async () => {
    const { page } = await opened(made.aam ?? '')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    }
    await page.setViewportSize({ width: 360, height: 800 })
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  })
})
