/** Comparing in a real browser: hundreds of blind pairs, and two benchmarks on one page, neither of which is written to. */
import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { analysisFile, comparisonFile } from '../artefacts.ts'
import { shareBrowser, texts, visit, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
const ids = Array.from({ length: 130 }, (_, index) => index + 1)
const benchmark = aggregate(
  inputOf(ids.flatMap((id) => [...arm(id, 'with_skill', ['+']), ...arm(id, 'without_skill', ['-'])])),
)
const error = (run: number) => {
  const side = { configuration: 'with_skill', run: `eval-1/with_skill/run-${run}` }
  return JSON.stringify({
    schema_version: 1,
    sides: { A: side, B: { ...side, configuration: 'without_skill' } },
    reason: 'no usable answer in two rounds',
    at: '2026-01-15T11:00:00Z',
  })
}
/** Every tenth is a tie that changed with the order, every 13th a winner with the lower score. */
const more = (id: number) =>
  id % 10 === 0 ? { winner: 'TIE', flips: 1 } : id % 13 === 0 ? { winner: 'B', contradicts_scores: true } : {}
const files = {
  ...Object.fromEntries(ids.map((id) => [`eval-${id}/comparison-1.json`, comparisonFile(plain, more(id))])),
  'eval-1/comparison_error-1.json': error(1), // of before: it was judged since
  'eval-1/comparison_error-2.json': error(2),
  'eval-2/analysis.json': analysisFile(plain),
}

withChromium('many pairs', () => {
  const { show } = shareBrowser()
  const it: { staged?: Staged } = {}
  beforeAll(async () => {
    it.staged = await stage({ benchmark, files })
  })
  const opened = (hash: string) => show(it.staged?.url, hash)
  const titles = (page: Page) => page.locator('.pair-of-outputs > summary strong').allTextContents()
  const said = (page: Page) => page.locator('#pairs small').textContent()

  test('a hundred are drawn, closed, the rest on request', async () => {
    const page = await opened('#/compare')
    await expect.poll(() => said(page)).toContain('130 of 130')
    await expect.poll(() => page.locator('.pair-of-outputs').count()).toBe(100)
    await expect.poll(() => page.locator('.pair-of-outputs table').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000)
    await page.getByRole('button', { name: 'Show 30 more' }).click()
    await expect.poll(() => page.locator('.pair-of-outputs').count()).toBe(130)
  })
  test('several are open at once, the address names the last, and none when that is closed', async () => {
    const page = await opened('#/compare')
    const pairs = page.locator('.pair-of-outputs')
    for (const at of [0, 2]) await pairs.nth(at).locator('summary').first().click()
    await pairs.nth(2).locator('table').first().waitFor()
    await expect.poll(() => page.locator('.pair-of-outputs[open]').count()).toBe(2)
    expect(new URL(page.url()).hash).toBe('#/compare?at=eval-3%2Fcomparison-1.json')
    await pairs.nth(2).locator('summary').first().click()
    await page.waitForURL(/#\/compare$/)
    await expect.poll(() => page.locator('.pair-of-outputs[open]').count()).toBe(1)
  })
  test('an address opens its pair, and shows it', async () => {
    const page = await opened('#/compare?at=eval-120%2Fcomparison-1.json')
    const pair = page.locator('.pair-of-outputs[open]')
    await pair.locator('table').first().waitFor()
    await expect.poll(() => pair.locator('summary').first().textContent()).toContain('Case 120 · case-120')
    const top = () => pair.evaluate((one) => one.getBoundingClientRect().top)
    await expect.poll(top).toBeLessThan(200)
    await expect.poll(() => top()).toBeGreaterThan(50) // below the bar
  })
  test('by verdict and by case', async () => {
    const page = await opened('#/compare')
    await page.getByLabel('Show').selectOption('changed with the order')
    await expect.poll(() => titles(page)).toHaveLength(13)
    expect(new URL(page.url()).hash).toBe('#/compare?show=order')
    await page.locator('input[type=search]').fill('case-12')
    await expect.poll(() => titles(page)).toEqual(['Case 120 · case-120'])
    await visit(page, '#/compare?show=score')
    await expect.poll(() => titles(page)).toHaveLength(9)
    await visit(page, '#/compare?show=B')
    await expect.poll(() => titles(page)).toHaveLength(9)
    await visit(page, '#/compare?show=constructor')
    await expect.poll(() => said(page)).toContain('130 of 130')
  })
  test('what no judge decided has its reason; why one won is told by its case', async () => {
    const page = await opened('#/compare')
    await expect
      .poll(() => page.locator('#unjudged + ul li').allTextContents())
      .toEqual(['Case 1 · case-1 run 2 no usable answer in two rounds'])
    const why = page.locator('section', { hasText: 'Why the winner won' })
    await expect.poll(() => why.textContent()).toMatch(/Case 2 · case-2.*with skill over without skill/)
  })
})

const cwd = fresh()
const cases = ['first', 'second'].map((name, index) => ({
  id: index + 1,
  name,
  prompt: `the ${name} task`,
  checks: [{ type: 'contains', value: 'TIDY' }],
}))
const made = { a: '', b: '' }

async function bench(name: string, suite: readonly object[], engine: string): Promise<string> {
  const args = ['bench', makeSkill(suite), '--engine', engine, '--runs', '4', '--workspace', name, '--json']
  const end = await runMain(args, { cwd })
  expect(end.code, end.stderr).toBe(0)
  return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
}

/** Every file below with its size and time. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mtimeMs, size } = statSync(path.join(folder, name))
      return `${name} ${mtimeMs} ${size}`
    })
}

const compare = (...args: string[]) => runMain(['view', '--compare', ...args, '--json'], { cwd })

withChromium('two benchmarks on one page', () => {
  const { show, fresh: reopen } = shareBrowser()
  const it = { page: '' }
  beforeAll(async () => {
    made.a = await bench('old', cases, tidyAgent)
    const third = { id: 3, name: 'third', prompt: 'new', checks: [{ type: 'contains', value: 'TIDY' }] }
    made.b = await bench('new', [...cases, third], 'command:echo nothing')
    const ownCase = readdirSync(made.a).find((name) => name.startsWith('eval-1')) ?? ''
    const said = { [`${ownCase}-with_skill-run-2`]: 'the old one was better', [ownCase]: 'hard for the old one' }
    const reviews = Object.entries(said).map(([run_id, feedback]) => ({ run_id, feedback, timestamp: '' }))
    const notes = { reviews, status: 'complete' }
    writeFileSync(path.join(made.a, 'feedback.json'), JSON.stringify(notes))
  })
  const opened = (hash: string, page = it.page) => show(`file://${page}`, hash)

  test('is written where the user is, and neither of the two is touched', async () => {
    const before = [stateOf(made.a), stateOf(made.b)]
    const end = await compare('old', 'new')
    expect(end.code, end.stderr).toBe(0)
    it.page = JSON.parse(end.stdout).page
    expect(it.page).toBe(
      path.join(cwd, 'comparisons', `${path.basename(made.a)}-vs-${path.basename(made.b)}`, 'report.html'),
    )
    expect([stateOf(made.a), stateOf(made.b)]).toEqual(before)
  })
  test('what differs in the plans comes first, then the verdict, what changed, every case', async () => {
    const page = await opened('')
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^B against A: Worse: -100 points, 95% CI /)
    const heads = await texts(page.locator('main h2'))
    expect(heads[0]).toBe('Differences in setup')
    await expect.poll(() => page.locator('.differs').allTextContents()).toContain('echo nothing')
    await expect
      .poll(() => page.locator('section[aria-labelledby=turned]').textContent())
      .toMatch(/Significant changes 2 expectations.*1 only in B/s)
    await expect.poll(() => page.locator('#cases').textContent()).toBe('Cases 3')
    const alone = await opened('#/case/3')
    await expect.poll(() => alone.locator('.banner').textContent()).toContain('A with skill: no run')
  })
  test('a case: its runs of both, side by side, with an address', async () => {
    const page = await opened('#/case/1?as=diff')
    const heads = await texts(page.locator('.matrix thead th'))
    expect(heads.slice(2)).toEqual(['B with skill', 'A with skill', 'B without skill', 'A without skill'])
    const chosen = page.locator('.choose select')
    expect(
      await chosen.evaluateAll((all) =>
        all.map((one) => (one as unknown as { selectedOptions: { text: string }[] }).selectedOptions[0]?.text),
      ),
    ).toEqual(['A with skill, run 1', 'B with skill, run 1'])
    await chosen.nth(0).selectOption({ label: 'A without skill, run 2' })
    const again = await reopen(`file://${it.page}`, new URL(page.url()).hash)
    await expect
      .poll(() => again.locator('.choose option:checked').first().textContent())
      .toBe('A without skill, run 2')
  })
  test('notes on the runs side by side, and on their cases, each of its own benchmark', async () => {
    const page = await opened('#/case/1')
    const side = (place: number) => page.locator('.pair').first().locator('.beside > div').nth(place)
    await page.locator('.pair blockquote').first().waitFor()
    await expect
      .poll(() => side(0).locator('blockquote').allTextContents())
      .toEqual(['note on the case hard for the old one'])
    await expect.poll(() => side(1).textContent()).toBe('no note')
    await page.locator('.choose select').nth(0).selectOption({ label: 'A with skill, run 2' })
    await expect
      .poll(() => side(0).locator('blockquote').allTextContents())
      .toEqual(['note on the run the old one was better', 'note on the case hard for the old one'])
    await page.locator('.choose select').nth(0).selectOption({ label: 'B without skill, run 1' })
    await page.getByText('notes', { exact: true }).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('.notebox').count()).toBe(0)
  })
  test('a run shows its own verdicts and the note of its benchmark; none is written here', async () => {
    const page = await opened('#/run/1/A_with_skill/2')
    await page.locator('.verdicts .pass').waitFor()
    await expect.poll(() => page.locator('blockquote').textContent()).toBe('the old one was better')
    await expect.poll(() => page.locator('textarea').count()).toBe(0)
    await visit(page, '#/run/1/B_with_skill/2')
    await page.locator('.verdicts .fail').waitFor()
    await expect.poll(() => page.locator('blockquote').count()).toBe(0)
  })
  test('in a single file that was moved away: answers, diffs and notes of both are in it', async () => {
    const end = await compare('old', 'new', '--single-file')
    expect(end.code, end.stderr).toBe(0)
    const moved = path.join(fresh(), 'moved.html')
    cpSync(JSON.parse(end.stdout).page, moved)
    const page = await opened('#/case/1?as=diff', moved)
    await page.locator('.diff .gone').first().waitFor()
    await expect.poll(() => page.locator('.diff .gone').first().textContent()).toContain('TIDY')
    await expect.poll(() => page.locator('.diff .new').first().textContent()).toContain('nothing')
    await expect.poll(() => page.locator('.pair blockquote').count()).toBe(1)
  })
  test("another tool's folder beside one of ours; a copy to publish", async () => {
    const folder = foreign()
    const before = stateOf(folder)
    const end = await compare(folder, made.a, '--static', 'site')
    expect(end.code, end.stderr).toBe(0)
    expect(stateOf(folder)).toEqual(before)
    const page = await opened('#/case/1', path.join(cwd, 'site', 'index.html'))
    await expect.poll(() => page.locator('.case-sum').textContent()).toMatch(/B with skill 100%.*A with skill 0%/s)
    await expect.poll(() => page.locator('main').textContent()).toContain('by another tool')
  })
  test('a file and a folder of another tool: every rate and bar is in its own row on every screen', async () => {
    const end = await compare(foreign(), foreign(true))
    const url = `file://${JSON.parse(end.stdout).page}`
    for (const width of [360, 800, 1200, 2560]) {
      const page = await show(url, '#/', width)
      const row = page.locator('.windowed li').first()
      await expect.poll(() => row.locator('.rates > span').count()).toBe(4)
      const out = await row.evaluate((own) => {
        const box = own.getBoundingClientRect()
        return [...own.querySelectorAll('.rates > span, .heat svg, .name, .effect')].flatMap((one) => {
          const { top, bottom, right } = one.getBoundingClientRect()
          return top < box.top || bottom > box.bottom || right > box.right ? [one.className] : []
        })
      })
      expect([width, out]).toEqual([width, []])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })
})
