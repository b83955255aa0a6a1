/** The Improve tab in a real browser: edits by address and by key, diffs, thousands of edits, on every screen. */
import { beforeAll, expect, test } from 'vitest'
import { history } from '../../../schemas/history.ts'
import { shareBrowser, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { historyFile } from '../session_history.ts'
import { type Staged, stage } from '../stage.ts'

const word = 'Donaudampfschifffahrt'.repeat(60)

/** 40 rounds with a proposal of 100 edits each; names, reasons and every fifth id are one long word. */
function manyEdits(): string {
  const value = history.parse(JSON.parse(historyFile(() => word)))
  const [round] = value.rounds ?? []
  const [proposal] = round?.proposals ?? []
  const [edit] = proposal?.edits ?? []
  if (round === undefined || proposal === undefined || edit === undefined) throw new Error('a round with an edit')
  const rounds = Array.from({ length: 40 }, (_, place) => {
    const edits = Array.from({ length: 100 }, (_one, at) => ({
      ...edit,
      id: at % 5 === 0 ? word : `${place + 1}.1.${at + 1}`,
    }))
    return { ...round, round: place + 1, parent: word, version: word, proposals: [{ ...proposal, edits }] }
  })
  return JSON.stringify({ ...value, current_best: word, rounds })
}

withChromium('the Improve tab', () => {
  const { show } = shareBrowser()
  const it: { full?: Staged; long?: Staged } = {}
  beforeAll(async () => {
    it.full = await stage({ benchmark, runs, files })
    it.long = await stage({ benchmark, files: { '../../history.json': manyEdits() } })
  })
  const opened = (query = '') => show(it.full?.url, `#/improve${query}`)

  test('the picture leads to an edit, also by keyboard', async () => {
    const page = await opened()
    await page.getByRole('link', { name: '2.2.2' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.edit[open] .edit-id').textContent()).toBe('2.2.2')
  })
  test.each([360, 1280])('thousands of edits of very long words: a part at a time, within %i px', async (width) => {
    const page = await show(it.long?.url, '#/improve', width)
    await page.locator('.edit').first().waitFor()
    expect(await page.locator('.edit').count()).toBe(96)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await visit(page, '#/improve?edit=30.1.99')
    await expect.poll(() => page.locator('.edit[open] .edit-id').textContent()).toBe('30.1.99')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })
})
