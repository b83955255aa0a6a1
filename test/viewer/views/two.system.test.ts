/** `view --compare A B`: two benchmarks on one page, in a real browser; neither of them is written to. */
import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { launch, open, texts, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'

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
  const end = await whetstone(args, { cwd })
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

const compare = (...args: string[]) => whetstone(['view', '--compare', ...args, '--json'], { cwd })

withChromium('two benchmarks on one page', () => {
  const it: { browser?: Browser; page: string } = { page: '' }
  beforeAll(async () => {
    made.a = await bench('old', cases, agent('verbose.mjs'))
    const third = { id: 3, name: 'third', prompt: 'new', checks: [{ type: 'contains', value: 'TIDY' }] }
    made.b = await bench('new', [...cases, third], 'command:echo nothing')
    const ownCase = readdirSync(made.a).find((name) => name.startsWith('eval-1')) ?? ''
    const said = { [`${ownCase}-with_skill-run-2`]: 'the old one was better', [ownCase]: 'hard for the old one' }
    const reviews = Object.entries(said).map(([run_id, feedback]) => ({ run_id, feedback, timestamp: '' }))
    const notes = { reviews, status: 'complete' }
    writeFileSync(path.join(made.a, 'feedback.json'), JSON.stringify(notes))
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())
  const opened = async (hash: string, page = it.page): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const seen = await open(it.browser, `file://${page}${hash}`)
    expect(seen.errors).toEqual([])
    return seen.page
  }

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
    const again = await opened(new URL(page.url()).hash)
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
    await page.goto(`file://${it.page}#/run/1/B_with_skill/2`)
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
    await expect.poll(() => page.locator('.pair').last().textContent()).toContain('by another tool')
  })
  test.each([
    [['old', 'old'], /are the same benchmark/],
    [['old'], /needs two benchmarks/],
    [['old', 'new', 'old'], /needs two benchmarks/],
    [['old', 'nowhere'], /no such folder "nowhere"/],
    [['old', 'new', '--serve'], /--compare with --serve/],
  ])('%j is refused', async (args, message) => {
    const end = await compare(...args)
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
  })
})
