/** Figures and small tables on paper and on screens as wide as paper: nothing is cut off, no number is broken in two. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { triggersFile } from '../artefacts.ts'
import { launch, open, withChromium } from '../browser.ts'
import { historyFile } from '../session_history.ts'
import { type Staged, stage } from '../stage.ts'

const plain = (text: string) => text
const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))

/** Tables of which a part is out of sight, and figures whose first word takes more than a line. */
const findings = `[
  ...[...document.querySelectorAll('.figures .scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).map(() => 'cut'),
  ...[...document.querySelectorAll('.figure')].flatMap((one) => {
    const range = document.createRange()
    range.selectNodeContents(one.firstChild)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? ['broken ' + one.textContent] : []
  }),
]`

withChromium('figures on paper', () => {
  const it: { browser?: Browser; staged?: Staged } = {}
  beforeAll(async () => {
    it.browser = await launch()
    const triggers = triggersFile(plain).replaceAll('"value":0.75', '"value":1')
    it.staged = await stage({
      benchmark,
      files: {
        '../../history.json': historyFile(plain),
        '../../triggers/2026-01-15T11-00-00Z/triggers.json': triggers,
      },
    })
  })
  afterAll(() => it.browser?.close())

  test.each([
    ['#/triggers', 760],
    ['#/triggers', 520],
    ['#/triggers', 360],
    ['#/improve', 760],
    ['#/case/1', 760],
  ])('%s at %i px', async (hash, width) => {
    if (it.browser === undefined) throw new Error('no browser')
    const viewport = { width, height: 1000 }
    const { page } = await open(it.browser, `${it.staged?.url}${hash}`, { viewport })
    await page.locator('.figure').first().waitFor()
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media })
      expect([media, await page.evaluate(findings)]).toEqual([media, []])
    }
  })
})
