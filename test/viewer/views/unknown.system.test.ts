/** What nobody recorded, in a real browser: it is told as unknown, never as a number or as something that did not happen. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { metrics } from '../../../schemas/metrics.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { launch, open, visit, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'

const json = (...place: string[]) => JSON.parse(readFileSync(path.join(...place), 'utf8'))

withChromium('what is not known', () => {
  const it: { browser?: Browser; ours: string; theirs: string; saying: string } = { ours: '', theirs: '', saying: '' }
  beforeAll(async () => {
    it.browser = await launch()
    const skill = makeSkill([
      { id: 1, name: 'first', prompt: 'Say hello', checks: [{ type: 'contains', value: 'hell' }] },
    ])
    const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--workspace', path.join(fresh(), 'ws')]
    const end = await whetstone(['bench', skill, ...flags, '--sandbox', 'off', '--json'])
    it.ours = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
    it.theirs = foreign()
    it.saying = foreign()
    writeFileSync(path.join(it.saying, 'first/with_skill/run-1/transcript.md'), 'It is tidy now.')
    for (const folder of [it.theirs, it.saying]) {
      const seen = await whetstone(['view', folder, '--no-open'])
      expect(seen.code, seen.stderr).toBe(0)
    }
  }, 120_000)
  afterAll(() => it.browser?.close())
  const opened = async (folder: string, hash: string): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page, errors } = await open(it.browser, `file://${folder}/report.html${hash}`)
    expect(errors).toEqual([])
    return page
  }

  test('tool calls of an engine that shows none are unknown in the page and in its row; metrics.json keeps its form', async () => {
    const page = await opened(it.ours, '#/run/1/with_skill/1')
    const strip = page.locator('dl.strip')
    await expect.poll(() => strip.textContent()).toMatch(/tokensnot recordedtool callsnot recordedcostnot recorded/)
    expect(json(it.ours, 'benchmark.json').runs[0].result).not.toHaveProperty('tool_calls')
    const counted = metrics.parse(json(it.ours, 'eval-1-first/with_skill/run-1/outputs/metrics.json'))
    expect(counted).toMatchObject({ tool_calls: {}, total_tool_calls: 0, tools_shown: false })
  })
  test('what a check says is not there leads nowhere, though the prompt has it; what it found does', async () => {
    const page = await opened(it.ours, '#/run/1/with_skill/1')
    const evidence = page.locator('.verdicts .evidence')
    await expect.poll(() => evidence.textContent()).toBe('"hell" is not in the final answer; it begins "TIDY"')
    await expect.poll(() => evidence.locator('.quote').allTextContents()).toEqual(['"TIDY"'])
  })
  test('an answer that another tool did not keep was not recorded, rather than not given', async () => {
    const said = (page: Page) => page.locator('.pair .empty').first().textContent()
    const page = await opened(it.theirs, '#/case/1')
    await expect.poll(() => said(page)).toBe('The final answer was not recorded.')
    const other = await opened(it.saying, '#/case/1')
    await expect.poll(() => said(other)).toBe('The final answer was not recorded by itself; see the transcript.')
    await visit(other, '#/run/1/with_skill/1')
    await expect.poll(() => other.locator('#part').textContent()).toContain('It is tidy now.')
  })
})
