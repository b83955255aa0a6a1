/** `view --serve` of a folder that another tool made: live, notes saved into it, nothing else written. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh, whetstone } from '../../e2e/program.ts'
import { withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'
import { ask, serveForAll } from './served.ts'

withChromium("view --serve of another tool's folder", () => {
  const { it, opened } = serveForAll(() => foreign())

  test('a run that comes in is seen; a note is saved under the name that its tool knows', async () => {
    const { page, errors } = await opened('#/runs')
    await expect.poll(() => page.locator('.run-row').count()).toBe(2)
    const first = path.join(it.folder, 'first')
    cpSync(path.join(first, 'with_skill', 'run-1'), path.join(first, 'with_skill', 'run-2'), { recursive: true })
    await expect.poll(() => page.locator('.run-row').count(), { timeout: 20_000 }).toBe(3)
    const hash = await page.locator('.run-row').first().getAttribute('href')
    await page.goto(`${it.url}${hash}`)
    await page.locator('textarea').fill('by hand')
    await page.getByText('Saved.').waitFor()
    const { reviews } = JSON.parse(readFileSync(path.join(it.folder, 'feedback.json'), 'utf8'))
    expect(reviews).toMatchObject([{ run_id: expect.stringMatching(/^first-with_skill-run-\d$/), feedback: 'by hand' }])
    expect(readdirSync(it.folder).sort()).toEqual(['feedback.json', 'first'])
    expect(errors).toEqual([])
  })
  test('there is no judge of ours to be marked', async () => {
    const body = { path: '/audit', method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect(await ask(it.url, body)).toBe(404)
  })
  test('a folder without a run is refused', async () => {
    const end = await whetstone(['view', fresh(), '--serve'])
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/no/)])
  })
})
