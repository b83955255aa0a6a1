/** Tabs drawn from what the commands really wrote on the practice model, with a benchmark and without one; every number is the artefact's own. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { History } from '../../schemas/history.ts'
import type { Triggers } from '../../schemas/triggers.ts'
import { mends, openWorld } from '../e2e/improve/improving.ts'
import { benched, compareWith, comparisonOf, judgeServer, judges } from '../e2e/judge/comparing.ts'
import { fresh, whetstone } from '../e2e/program.ts'
import { measured, queries, whole } from '../e2e/triggers/triggers_stage.ts'
import { launch, open, texts, withChromium } from './browser.ts'
import { serveHere } from './serve/served.ts'

const patience = 240_000
const percent = (rate: number) => `${Math.round(rate * 100)}%`

withChromium('tabs of artefacts that the commands wrote', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())

  const opened = async (url: string): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page, errors } = await open(it.browser, url)
    expect(errors).toEqual([])
    return page
  }
  const tabsIn = (page: Page) => page.locator('header nav a').allTextContents()
  /** The page that view writes. */
  const viewed = async (folder: string, ...flags: string[]): Promise<string> => {
    const end = await whetstone(['view', folder, '--no-open', '--json', ...flags])
    // 3: a gate may end before all of its runs are made
    expect([0, 3], end.stderr).toContain(end.code)
    const line = end.stdout.split('\n').find((one) => one.includes('"type":"page"'))
    return JSON.parse(line ?? '{}').page
  }

  describe('triggers, in a workspace without a benchmark', () => {
    const found: { workspace: string; folder: string; made: Triggers | null } = {
      workspace: '',
      folder: '',
      made: null,
    }
    const made = () => {
      if (found.made === null) throw new Error('not measured')
      return found.made
    }
    beforeAll(async () => {
      const workspace = path.join(fresh(), 'tidy')
      const args = ['--runs', '2', '--among', skillBeside()]
      const ran = await measured({ engine: 'anthropic', model: 'keyword', set: queries.slice(0, 6), args, workspace })
      Object.assign(found, { workspace, folder: ran.folder, made: whole(ran) })
    }, patience)

    test('the page begins with what was measured, and has no tab of a benchmark', async () => {
      const report = await viewed(found.workspace)
      expect(report).toBe(path.join(found.workspace, 'report.html'))
      const page = await opened(`file://${report}`)
      await expect.poll(() => tabsIn(page)).toEqual(['Triggers'])
      await expect.poll(() => page.locator('header nav a').getAttribute('aria-current')).toBe('page')
      await expect.poll(() => page.locator('input[type=search]').count()).toBe(0)
      const { summary, results, metrics } = made()
      await expect
        .poll(() => page.locator('h1').textContent())
        .toBe(`${summary.passed} of ${summary.total} queries behave as they should`)
      const rows = await texts(page.locator('.query-row summary'))
      expect(rows).toHaveLength(results.length)
      for (const [at, { query, triggers, runs }] of results.entries()) {
        expect(rows[at]).toContain(query)
        expect(rows[at]).toContain(`${triggers}/${runs}`)
      }
      const [recall] = await page.locator('#rates').locator('xpath=../div').locator('.figure').allTextContents()
      expect(recall).toContain(percent(metrics.recall?.value ?? -1))
      await page.locator('.query-row summary').first().click()
      await expect.poll(() => page.locator('.query-row details[open] .query-runs li').count()).toBe(2)
    })
    test('served, the next measurement is seen without a reload', async () => {
      const served = await serveHere(found.workspace)
      try {
        const page = await opened(served.url)
        await expect.poll(() => page.locator('.query-row').count()).toBe(made().results.length)
        const next = path.join(found.workspace, 'triggers/2999-01-01T00-00-00Z')
        mkdirSync(next)
        const results = made().results.slice(0, 2)
        writeFileSync(path.join(next, 'triggers.json'), JSON.stringify({ ...made(), results }))
        await expect.poll(() => page.locator('.query-row').count()).toBe(2)
        rmSync(next, { recursive: true })
      } finally {
        served.stop()
      }
    })
    test('negative control: a folder with nothing measured in it is refused', async () => {
      const workspace = fresh()
      mkdirSync(path.join(workspace, 'triggers/2999-01-01T00-00-00Z'), { recursive: true })
      const end = await whetstone(['view', workspace, '--no-open'])
      expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/no graded run/)])
      expect(existsSync(path.join(workspace, 'report.html'))).toBe(false)
    })
  })

  test('improve: its result, rounds, edits and diffs; without its benchmarks too', {
    timeout: patience,
  }, async () => {
    await using world = await openWorld(mends, 18)
    const end = await world.improve(['--total-runs', '40'])
    expect(end.code, end.stderr + end.stdout).toBe(0)
    const history: History = world.history()
    const page = await opened(`file://${await viewed(world.workspace)}#/improve`)
    await expect.poll(() => tabsIn(page)).toContain('Improve')
    await expect.poll(() => page.locator('h1').textContent()).toBe(history.certification?.sentence)
    const rounds = history.rounds ?? []
    await expect.poll(() => page.locator('.round').count()).toBe(rounds.length)
    const edits = rounds.flatMap(({ proposals }) => proposals.flatMap((one) => one.edits))
    await expect.poll(() => page.locator('.edit').count()).toBe(edits.length)
    await expect
      .poll(() => page.locator('.edit-name').first().textContent())
      .toBe(`${edits[0]?.id} ${edits[0]?.summary}`)
    await page.locator('.diff .new').first().waitFor()
    await expect.poll(() => page.locator('.pair h3').allTextContents()).toEqual(['scripts/add.sh changed'])
    await expect.poll(() => page.locator('.diff .gone').allTextContents()).toEqual([expect.stringContaining('a - b')])
    await expect.poll(() => page.locator('.diff .new').allTextContents()).toEqual([expect.stringContaining('a + b')])
    // of a session whose benchmarks are gone
    rmSync(path.join(world.workspace, 'benchmarks'), { recursive: true })
    const alone = await opened(`file://${await viewed(world.workspace)}`)
    await expect.poll(() => tabsIn(alone)).toEqual(['Improve'])
    await expect.poll(() => alone.locator('h1').textContent()).toBe(history.certification?.sentence)
    await alone.locator('.diff .new').first().waitFor()
  })

  test('compare: every verdict is that of its file, the key after it', { timeout: patience }, async () => {
    const made = await benched()
    await using server = await judgeServer(judges.fair)
    expect((await compareWith(server, [made.folder])).code).toBe(0)
    const page = await opened(`file://${path.join(made.folder, 'report.html')}#/compare`)
    await expect.poll(() => page.locator('h1').textContent()).toContain('with skill wins 4 of 4 pairs')
    const names = ['eval-1-alpha', 'eval-2-beta'].flatMap((one) => [1, 2].map((n) => `${one}/comparison-${n}.json`))
    await expect.poll(() => page.locator('.pair-of-outputs').count()).toBe(names.length)
    for (const [at, name] of names.entries()) {
      const { winner, rubric, sides } = comparisonOf(made.folder, name)
      const pair = page.locator('.pair-of-outputs').nth(at)
      if ((await pair.getAttribute('open')) === null) await pair.locator('summary').first().click()
      await expect.poll(() => pair.locator('summary').first().textContent()).toContain(`${winner} is better`)
      const tables = pair.locator('table')
      await expect.poll(() => tables.nth(0).textContent()).toMatch(/shown first/)
      await expect
        .poll(() => tables.nth(1).textContent())
        .toContain(`overall, 2 to 10${rubric.A.overall_score}${rubric.B.overall_score}`)
      await pair.locator('.key summary').click()
      const key = await pair.locator('.key').textContent()
      expect(key).toContain(`A is ${sides?.A.configuration.replaceAll('_', ' ')}`)
    }
  })

  test('trend: the points of view --trend, in the page and in trend.html', { timeout: patience }, async () => {
    const made = await benched(1)
    const [name = ''] = readdirSync(path.join(made.workspace, 'benchmarks'))
    const older = path.join(made.workspace, 'benchmarks/2020-01-15T10-30-00Z')
    cpSync(path.join(made.workspace, 'benchmarks', name), older, { recursive: true })
    const old = path.join(older, 'benchmark.json')
    const benchmark = JSON.parse(readFileSync(old, 'utf8'))
    benchmark.metadata.timestamp = '2020-01-15T10:30:00.000Z'
    writeFileSync(old, JSON.stringify(benchmark))
    const chart = await viewed(path.join(made.workspace, 'benchmarks'))
    expect(path.basename(chart)).toBe('trend.html')
    if (it.browser === undefined) throw new Error('no browser')
    const trend = await it.browser.newPage()
    const errors: string[] = []
    trend.on('pageerror', (error) => errors.push(error.message))
    trend.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await trend.goto(`file://${chart}`)
    await expect.poll(() => trend.locator('svg').count()).toBeGreaterThan(0)
    await expect.poll(() => trend.locator('main').textContent()).toMatch(/2020-01-15/)
    expect(errors).toEqual([])
    await trend.close()
    const page = await opened(`file://${await viewed(made.workspace)}#/trend`)
    const rows = await texts(page.locator('.trend tbody tr'))
    expect(rows).toHaveLength(2)
    expect(rows.some((row) => row.includes('2020-01-15 10:30'))).toBe(true)
  })
})

/** A skill that is laid beside the one in question. */
function skillBeside(): string {
  const folder = path.join(fresh(), 'other')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'SKILL.md'), '---\nname: other\ndescription: Draws maps.\n---\n\nDraw.\n')
  return folder
}
