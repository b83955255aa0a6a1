/** Every attack in every view and tab, in a real browser: as text it is seen, none runs and nothing leaves. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { analysisFile, comparisonFile, descriptionFile, trendFile, triggersFile } from '../artefacts.ts'
import { launchWhole, type Opened, unfold, useBrowser, visit, withChromium } from '../browser.ts'
import { historyFile } from '../session_history.ts'
import { matrixFile } from '../skill_matrix.ts'
import { stage } from '../stage.ts'
import { files, texts } from './attacks.ts'
import { drawAll, events, everywhere, fired, lab, manyFrames, poisoned, staged } from './laboratory.ts'

const views = [
  '#/',
  '#/runs',
  `#/runs?q=${encodeURIComponent(texts[0] ?? '')}`,
  '#/case/1',
  '#/case/1?as=diff',
  '#/run/1/with_skill/1',
  '#/run/1/with_skill/1?tab=outputs',
  `#/run/1/with_skill/1?tab=outputs&file=page.html&mark=${encodeURIComponent(texts[9] ?? '')}`,
  '#/run/1/with_skill/1?tab=raw',
  '#/run/2/with_skill/1',
  `#/${encodeURIComponent(texts[9] ?? '')}/%E0%A4%A`,
  '#/__proto__',
  '#/constructor',
]

withChromium('attacks in every field', () => {
  test('there are at least fifty', () => expect(texts.length + Object.keys(files).length).toBeGreaterThanOrEqual(70))

  test('no view runs anything, and nothing leaves', { timeout: 180_000 }, async () => {
    const { url } = await staged()
    await using it = await lab()
    const { page, errors } = await it.open(url)
    for (const hash of views) {
      await visit(page, hash)
      for (const summary of await page.locator('details:not([open]) > summary').all()) {
        if (await summary.isVisible()) await summary.click({ timeout: 2000 }).catch(() => {})
      }
      expect([hash, await fired(page)]).toEqual([hash, undefined])
    }
    expect([await it.left(), errors]).toEqual([[], []])
    await expect.poll(() => page.evaluate('document.body.textContent.includes("\\u202E")')).toBe(false)
  })

  test('nothing runs or leaves where HTML is drawn', { timeout: 180_000 }, async () => {
    const { url } = await staged()
    await using it = await lab()
    const { page, errors } = await it.open(`${url}${manyFrames}`)
    expect(await drawAll(page)).toBe(texts.length)
    expect(page.frames().length).toBeGreaterThan(texts.length)
    expect([await fired(page), await it.left(), errors]).toEqual([undefined, [], []])
  })

  test('HTML that is drawn keeps its words and styles', async () => {
    const html = '<style>h1 { color: rgb(1, 2, 3) }</style><h1 id=a style="margin-top: 7px">Sales</h1><p>of <b>May</b>'
    const run = { eval_id: 1, configuration: 'with_skill', run_number: 1, events, outputs: { 'page.html': html } }
    const { url } = await stage({ benchmark: poisoned(), runs: [run] })
    await using it = await lab()
    const { page } = await it.open(`${url}#/run/1/with_skill/1?tab=outputs`)
    await drawAll(page)
    const drawn = page.frameLocator('iframe[sandbox=""]')
    await expect.poll(() => drawn.locator('p').textContent()).toBe('of May')
    const style = 'getComputedStyle(document.querySelector("h1"))'
    const frame = page.frames()[1]
    expect(await frame?.evaluate(`[${style}.color, ${style}.marginTop]`)).toEqual(['rgb(1, 2, 3)', '7px'])
  })

  test('negative control: with the policy the same text as HTML does not', async () => {
    const { report, url } = await staged()
    const planted = '<img src=x onerror=window.__canary=1><img src="http://canary.invalid/x">'
    writeFileSync(report, readFileSync(report, 'utf8').replace('<body>', `<body>${planted}`))
    await using it = await lab()
    expect(await fired((await it.open(url)).page)).toBeUndefined()
    expect(await it.left()).toEqual([])
  })

  test('negative control: a frame that is not sealed opens a connection in spite of the policy', async () => {
    const { report, url } = await staged()
    const frame = '<iframe sandbox="" srcdoc="<iframe src=http://canary.invalid/x></iframe>"></iframe>'
    writeFileSync(report, readFileSync(report, 'utf8').replace('<body>', `<body>${frame}`))
    await using it = await lab()
    await it.open(url)
    expect((await it.left()).length).toBeGreaterThan(0)
  })
})

const say = () => everywhere
const judge = `command:${process.execPath} ${path.join(import.meta.dirname, '../../fixtures/judges/lenient.mjs')} bad`
const tabs = [
  '#/audit',
  '#/compare',
  '#/triggers',
  '#/improve',
  '#/trend',
  '#/run/1/with_skill/1?tab=previous',
  '#/case/1',
]

/** A real benchmark of a hostile suite, with hostile artefacts in every place of its workspace. */
async function workspace(): Promise<string> {
  const skill = makeSkill([{ id: 1, name: 'one', prompt: everywhere, expectations: texts.slice(0, 40) }])
  const root = path.join(fresh(), 'ws')
  const flags = ['--engine', tidyAgent, '--judge', judge, '--runs', '1', '--sandbox', 'off']
  const end = await runMain(['bench', skill, ...flags, '--workspace', root])
  expect(end.code, end.stderr).toBe(0)
  const folder = path.join(root, 'benchmarks', readdirSync(path.join(root, 'benchmarks'))[0] ?? '')
  const before = path.join(root, 'benchmarks', '2020-01-01T00-00-00Z')
  const own = 'eval-1-one/with_skill/run-1'
  const put = (file: string, content: string | Uint8Array) => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  put(path.join(root, 'history.json'), historyFile(say))
  put(path.join(root, 'trend.json'), trendFile(say))
  put(path.join(root, 'triggers/2026-01-15T11-00-00Z/triggers.json'), triggersFile(say))
  put(path.join(root, 'triggers/2026-01-15T12-00-00Z/trigger_matrix.json'), matrixFile(say))
  put(path.join(root, 'descriptions/2026-01-15T11-00-00Z/description.json'), descriptionFile(say))
  put(path.join(folder, 'eval-1-one/comparison-1.json'), comparisonFile(say))
  put(path.join(folder, 'eval-1-one/comparison-2.json'), JSON.stringify({ winner: everywhere, [everywhere]: texts }))
  put(path.join(folder, 'eval-1-one/analysis.json'), analysisFile(say))
  put(
    path.join(before, 'benchmark.json'),
    JSON.stringify(aggregate(inputOf(arm(1, 'with_skill', ['+'])))).replaceAll('sales-report', 'tidy'),
  )
  put(path.join(before, own, 'run.json'), JSON.stringify({ final_response: everywhere }))
  const notes = { 'eval-1-one-with_skill-run-1': everywhere, 'eval-1-one': everywhere, [everywhere]: everywhere }
  put(path.join(before, 'feedback.json'), JSON.stringify(notes))
  for (const [name, content] of Object.entries(files)) {
    if (name.includes('/') || typeof content !== 'string' || content.length > 100_000) continue
    put(path.join(before, own, 'outputs', name), content)
    put(path.join(root, 'versions/v0', name), content)
    put(path.join(root, 'versions/v2', name), `${content}\n${everywhere}`)
  }
  const viewed = await runMain(['view', folder, '--no-open'])
  expect(viewed.stdout).toContain('report.html')
  return path.join(folder, 'report.html')
}

const outside = ({ requests }: Opened) => requests.filter((url) => !/^(file|blob|data|about):/.test(url))

withChromium('attacks in every tab', () => {
  const it = { report: '' }
  const open = useBrowser(launchWhole)
  beforeAll(async () => {
    it.report = await workspace()
  })

  test.each(tabs)('%s', { timeout: 60_000 }, async (hash) => {
    const seen = await open(`file://${it.report}`)
    const { page } = seen
    await visit(page, hash)
    await page.locator('main h1').waitFor()
    await unfold(page)
    await page.waitForTimeout(300)
    const shown = await page.locator('main').textContent()
    // else the attack would not have been there
    expect(shown).toContain('<img src=x onerror=window.__canary=1>')
    expect(shown).toContain('⟨U+202E⟩')
    expect(shown).not.toContain('\u202E')
    expect(
      await page
        .locator('main :is(script, iframe, object, embed, base, form, [onerror], [onload], [href^="javascript:" i])')
        .count(),
    ).toBe(0)
    expect([await fired(page), outside(seen), seen.errors]).toEqual([undefined, [], []])
  })
})
