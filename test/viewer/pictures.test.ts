/** The views as pictures that were looked at and kept, in two widths and both themes; written anew with WHETSTONE_PICTURES=write. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boxStyle } from './box_font.ts'
import { launch, open, withChromium } from './browser.ts'
import { benchmark, files, runs } from './full_workspace.ts'
import { apart } from './likeness.ts'
import { alone, audited, two } from './pictured.ts'
import { everything, stageSmall } from './sample.ts'
import { stage } from './stage.ts'

const kept = path.join(import.meta.dirname, 'pictures')
const failed = path.join(tmpdir(), 'whetstone-pictures')
/** Of a picture: less is the edge of a sign, a broken layout is far more. */
const most = 0.004

const views = {
  overview: ['all', '#/'],
  runs: ['all', '#/runs'],
  case: ['small', '#/case/1'],
  run: ['small', '#/run/1/with_skill/1'],
  outputs: ['small', '#/run/1/with_skill/1?tab=outputs'],
  compare: ['full', '#/compare'],
  triggers: ['full', '#/triggers'],
  improve: ['full', '#/improve'],
  trend: ['full', '#/trend'],
  audit: ['audited', '#/audit'],
  two: ['two', '#/'],
  two_case: ['two', '#/case/1'],
  alone: ['alone', '#/'],
} as const
const sizes = { wide: { width: 1280, height: 1400 }, narrow: { width: 390, height: 1400 } }
type View = keyof typeof views
type Size = keyof typeof sizes

const all = Object.keys(views).flatMap((view) =>
  Object.keys(sizes).flatMap((size) =>
    (['light', 'dark'] as const).map((theme) => [view as View, size as Size, theme] as const),
  ),
)

withChromium('the views look as they were kept', () => {
  const it: { browser?: Browser; blank?: Page; urls: Map<string, string> } = { urls: new Map() }
  beforeAll(async () => {
    it.browser = await launch()
    it.blank = await it.browser.newPage()
    it.urls.set('small', (await stageSmall()).url).set('all', (await stage({ benchmark: everything })).url)
    it.urls.set('full', (await stage({ benchmark, runs, files })).url)
    it.urls
      .set('audited', await audited())
      .set('two', await two())
      .set('alone', await alone())
  }, 120_000)
  afterAll(() => it.browser?.close())

  const drawn = async (view: View, size: Size, colorScheme: 'light' | 'dark', style = ''): Promise<Buffer> => {
    if (it.browser === undefined) throw new Error('no browser')
    const [which, hash] = views[view]
    const options = { bypassCSP: true, viewport: sizes[size], colorScheme, reducedMotion: 'reduce' } as const
    const { page } = await open(it.browser, `${it.urls.get(which)}${hash}`, options)
    await page.addStyleTag({ content: `${boxStyle}\n${style}` })
    await page.evaluate(`document.fonts.load('16px Box')`)
    await page.getByText('Reading…').waitFor({ state: 'detached' })
    // lists that draw what is on the screen measure once more with the font
    await page.evaluate(
      `dispatchEvent(new Event('resize')); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
    )
    const picture = await page.screenshot()
    await page.context().close()
    return picture
  }
  const difference = (one: Buffer, other: Buffer) => {
    if (it.blank === undefined) throw new Error('no page')
    return apart(it.blank, one, other)
  }

  test.each(all)('%s %s %s', { timeout: 120_000 }, async (view, size, theme) => {
    const name = `${view}-${size}-${theme}.png`
    const file = path.join(kept, name)
    const picture = await drawn(view, size, theme)
    if (process.env.WHETSTONE_PICTURES === 'write') writeFileSync(file, picture)
    expect(existsSync(file), `${name} is not kept: WHETSTONE_PICTURES=write writes it; look at it`).toBe(true)
    const share = await difference(picture, readFileSync(file))
    if (share > most) {
      mkdirSync(failed, { recursive: true })
      writeFileSync(path.join(failed, name), picture)
    }
    expect(share, `${path.join(failed, name)} is what it looks like now`).toBeLessThanOrEqual(most)
  })

  test.each<[string, View, string]>([
    ['the cards are not beside each other', 'overview', '.scopes { grid-template-columns: 1fr }'],
    ['the space between is another', 'overview', ':root { --s4: 1.3rem }'],
    ['the bar is gone', 'overview', '.bar { display: none }'],
    ['a colour has changed', 'overview', ':root { --arm-0: #c00; --fail: #0a0 }'],
    ['cards have no bounds', 'overview', '.card { display: contents }'],
    ['a pair has no table', 'compare', '.pair-of-outputs table { display: none }'],
    ['the figures are one below the other', 'triggers', '.figures { display: block }'],
    ['the tree is a list', 'improve', '.version { padding: 0; border: 0; margin: 0 }'],
    ['the months are gone', 'trend', '.card.scroll { display: none }'],
    ['a decision has no bounds', 'audit', '.decision { padding: 0; border: 0; background: none }'],
    ['what differs is not marked', 'two', '.differs, .pairs td { padding: 0; background: none }'],
    ['the sides are one below the other', 'two_case', '.beside { display: block }'],
    ['attempts have no bounds', 'alone', '.version, .card { padding: 0; border: 0 }'],
  ])('negative control: %s', { timeout: 120_000 }, async (_what, view, style) => {
    const shares = []
    for (const size of ['wide', 'narrow'] as const) {
      shares.push(await difference(await drawn(view, size, 'light', style), await drawn(view, size, 'light')))
    }
    expect(Math.max(...shares)).toBeGreaterThan(most)
  })
  test('the same view twice is the same, and with other edges of its signs nearly', { timeout: 120_000 }, async () => {
    const [one, again] = [await drawn('case', 'wide', 'light'), await drawn('case', 'wide', 'light')]
    expect(await difference(one, again)).toBeLessThanOrEqual(most / 10)
    const blurred = await drawn('case', 'wide', 'light', '* { -webkit-text-stroke: 0.2px }')
    expect(await difference(one, blurred)).toBeLessThanOrEqual(most)
  })
})
