/** The audit tab in a real browser, from the disk and served: what is marked reaches audit_log.jsonl, also after the server was away. */
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { type ServedPage, serveHere } from '../../features/serve_page/served.ts'
import { shareBrowser, withChromium } from '../browser.ts'
import { type Audited, benchJudged, listDecisions } from './audited.ts'

withChromium('the audit tab', () => {
  const { fresh: opened } = shareBrowser()
  const it: { copied?: () => Audited; server?: ServedPage } = {}
  const copied = (): Audited => {
    if (it.copied === undefined) throw new Error('before the tests')
    return it.copied()
  }
  beforeAll(async () => {
    it.copied = await benchJudged()
  })
  afterAll(() => it.server?.stop())
  const serve = async (folder: string): Promise<string> => {
    it.server = await serveHere(folder)
    return it.server.url
  }
  const away = async () => {
    it.server?.stop()
    await it.server?.ended
  }
  const press = (page: Page, name: string, at: number) =>
    page.locator('.decision').nth(at).getByRole('button', { name, exact: true }).click()

  test('from a file: what is marked by key and on a run is downloaded, and then in the figures', async () => {
    const { workspace, folder, report, lines } = copied()
    const page = await opened(`file://${report}`, '#/audit')
    for (const key of ['j', 'n', 'j', 'y', 'j', 'y', 'x']) await page.keyboard.press(key)
    await expect
      .poll(() => page.locator('#sample').textContent())
      .toContain('2 of 4 decisions reviewed, from 16 distinct ones (32 in total)')
    await page.reload()
    await page.evaluate('location.hash = "#/run/1/with_skill/2"')
    const group = page.getByRole('group', { name: 'Do you agree?' })
    await group.first().waitFor()
    const before = await page.locator('.mark [aria-pressed=true]').count()
    await group
      .nth(before === 0 ? 0 : 3)
      .getByRole('button', { name: 'Disagree' })
      .click()
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download \d+ mark/ }).click()
    const file = path.join(fresh(), 'audit_lines.jsonl')
    await (await waiting).saveAs(file)
    expect(lines()).toEqual([])
    expect(await runMain(['audit', workspace, '--import', file])).toMatchObject({ code: 0, stderr: '' })
    expect(lines()).toHaveLength(3)
    expect(lines()).toContainEqual(
      expect.objectContaining({ benchmark: path.relative(workspace, folder), judge_passed: expect.any(Boolean) }),
    )
    const again = await opened(`file://${report}`, '#/audit')
    await expect.poll(() => again.locator('h1').textContent()).toContain('of 3 decisions, 95% CI')
    await again.getByLabel('Show').selectOption('said')
    await expect.poll(() => again.locator('.decision').count()).toBe(2)
    expect(new URL(again.url()).hash).toContain('show=said')
  })

  test('served: a mark is in the log at once, is taken back, and what the terminal says is seen without a reload', async () => {
    const { workspace, folder, lines } = copied()
    const page = await opened(await serve(folder), '#/audit')
    await press(page, 'Disagree', 0)
    await page.getByText('Saved.').waitFor()
    expect(lines()).toHaveLength(1)
    const [line] = lines()
    expect(line).toMatchObject({ met: !line?.judge_passed, benchmark: path.relative(workspace, folder) })
    await page.getByText('of 1 decision, 95% CI').waitFor({ timeout: 60_000 })
    await press(page, 'Disagree', 0)
    await page.getByText('No reviews yet').waitFor({ timeout: 60_000 })
    expect(lines().map(({ met }) => met)).toEqual([!line?.judge_passed, null])
    const [, other] = await listDecisions(workspace)
    await runMain(['audit', workspace, '--label', `${other?.id}=agree`])
    const second = page.locator('.decision').nth(1).getByRole('button', { name: 'Agree', exact: true })
    await expect.poll(() => second.getAttribute('aria-pressed')).toBe('true')
    expect(await page.getByRole('button', { name: /Download \d+ mark/ }).count()).toBe(0)
    await away()
  })

  test('what is marked while no server answers is sent when one does, by the page that waits and by one opened anew', async () => {
    const { folder, lines } = copied()
    const page = await opened(await serve(folder), '#/audit')
    const waits = () => page.getByText('It is kept in this browser and sent again').first().waitFor()
    const wrongs = () => lines().map(({ met, judge_passed }) => met !== judge_passed)
    await away()
    await press(page, 'Agree', 0)
    await waits()
    await press(page, 'Disagree', 0)
    await waits()
    await serve(folder)
    await expect.poll(wrongs).toEqual([true])
    await page.getByText('Saved.').first().waitFor()
    await away()
    await press(page, 'Agree', 1)
    await waits()
    await page.goto('about:blank')
    const url = await serve(folder)
    await page.goto(`${url}#/audit`)
    await expect.poll(wrongs).toEqual([true, false])
    await page.getByText('of 2 decisions, 95% CI').waitFor({ timeout: 60_000 })
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await away()
    expect(lines()).toHaveLength(2) // what was sent is not sent again
  })
})
