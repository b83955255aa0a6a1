/** The attacks in every field of the artefacts beside a benchmark: each tab says them as text, runs none and asks for nothing. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { analysisFile, comparisonFile, descriptionFile, trendFile, triggersFile } from '../artefacts.ts'
import { launchWhole, type Opened, open, unfold, visit, withChromium } from '../browser.ts'
import { historyFile } from '../session_history.ts'
import { matrixFile } from '../skill_matrix.ts'
import { files, texts } from './attacks.ts'

const everywhere = texts.join('\n')
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
  const flags = ['--engine', agent('tidy.mjs'), '--judge', judge, '--runs', '1', '--sandbox', 'off']
  const end = await whetstone(['bench', skill, ...flags, '--workspace', root])
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
  const viewed = await whetstone(['view', folder, '--no-open'])
  expect(viewed.stdout).toContain('report.html')
  return path.join(folder, 'report.html')
}

const fired = (page: Page) => page.evaluate('window.__canary')
const outside = ({ requests }: Opened) => requests.filter((url) => !/^(file|blob|data|about):/.test(url))

withChromium('attacks in every tab', () => {
  const it: { browser?: Browser; report: string } = { report: '' }
  beforeAll(async () => {
    it.browser = await launchWhole()
    it.report = await workspace()
  })
  afterAll(() => it.browser?.close())

  test.each(tabs)('%s', { timeout: 60_000 }, async (hash) => {
    if (it.browser === undefined) throw new Error('no browser')
    const seen = await open(it.browser, `file://${it.report}`)
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
