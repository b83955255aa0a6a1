/** The views as pictures that were looked at and kept, in two widths and both themes; written anew with WHETSTONE_PICTURES=write. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, open, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { everything, stageSmall } from '../sample.ts'
import { runningHistoryFile } from '../session_history.ts'
import { stage } from '../stage.ts'
import { boxStyle } from './box_font.ts'
import { apart } from './likeness.ts'
import { alone, audited, two } from './pictured.ts'

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
  search: ['full', '#/improve?edit=1.2.1'],
  running: ['running', '#/improve'],
  trend: ['full', '#/trend'],
  audit: ['audited', '#/audit'],
  two: ['two', '#/'],
  two_case: ['two', '#/case/1'],
  alone: ['alone', '#/'],
} as const
const sizes = { wide: { width: 1280, height: 1400 }, narrow: { width: 390, height: 1400 } }
type View = keyof typeof views
type Size = keyof typeof sizes
type Theme = 'light' | 'dark'

const all = Object.keys(views).flatMap((view) =>
  Object.keys(sizes).flatMap((size) =>
    (['light', 'dark'] as const).map((theme) => [view as View, size as Size, theme] as const),
  ),
)

interface Place {
  browser?: Browser
  blank?: Page
  urls: Map<string, string>
  /** The page that is open, and what it shows. */
  shown?: { what: string; page: Page }
  drawn: Map<string, Buffer>
}

withChromium('the views look as they were kept', () => {
  const it: Place = { urls: new Map(), drawn: new Map() }
  beforeAll(async () => {
    it.browser = await launch()
    it.blank = await it.browser.newPage()
    it.urls.set('small', (await stageSmall()).url).set('all', (await stage({ benchmark: everything })).url)
    it.urls.set('full', (await stage({ benchmark, runs, files })).url)
    const running = { ...files, '../../history.json': runningHistoryFile((text) => text) }
    it.urls.set('running', (await stage({ benchmark, runs, files: running })).url)
    it.urls
      .set('audited', await audited())
      .set('two', await two())
      .set('alone', await alone())
  })
  afterAll(() => it.browser?.close())

  /** Opens a view in place of the one before. */
  const show = async (view: View, size: Size): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    await it.shown?.page.context().close()
    const [which, hash] = views[view]
    const options = { bypassCSP: true, viewport: sizes[size], reducedMotion: 'reduce' } as const
    const { page } = await open(it.browser, `${it.urls.get(which)}${hash}`, options)
    it.shown = { what: `${view} ${size}`, page }
    await page.addStyleTag({ content: boxStyle })
    await page.evaluate(`document.fonts.load('16px Box')`)
    await page.getByText('Reading…').waitFor({ state: 'detached' })
    return page
  }
  const shot = async (page: Page, colorScheme: Theme): Promise<Buffer> => {
    await page.emulateMedia({ colorScheme })
    // lists that draw what is on the screen measure once more with the font
    await page.evaluate(
      `dispatchEvent(new Event('resize')); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
    )
    return await page.screenshot()
  }
  /** Draws each once; both themes of a view on one page. */
  const drawn = async (view: View, size: Size, theme: Theme): Promise<Buffer> => {
    const name = `${view} ${size} ${theme}`
    const before = it.drawn.get(name)
    if (before !== undefined) return before
    const isShown = it.shown?.what === `${view} ${size}`
    const picture = await shot(isShown && it.shown ? it.shown.page : await show(view, size), theme)
    it.drawn.set(name, picture)
    return picture
  }
  const drawnWith = async (style: string, view: View, size: Size): Promise<Buffer> => {
    const page = await show(view, size)
    it.shown = { what: style, page }
    await page.addStyleTag({ content: style })
    return await shot(page, 'light')
  }
  const difference = (one: Buffer, other: Buffer) => {
    if (it.blank === undefined) throw new Error('no page')
    return apart(it.blank, one, other)
  }

  test.each(all)('%s %s %s', async (view, size, theme) => {
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
    ['the names are not beside the bars', 'overview', 'main .picture { grid-template-columns: 1fr }'],
    ['the bar is gone', 'overview', '.bar { display: none }'],
    ['a colour has changed', 'overview', ':root { --arm-0: #c00; --fail: #0a0 }'],
    ['the figures are one below the other', 'triggers', '.figures { display: block }'],
    ['a decision has no bounds', 'audit', '.decision { padding: 0; border: 0; background: none }'],
    ['what differs is not marked', 'two', '.differs, .pairs td { padding: 0; background: none }'],
  ])('negative control: %s', async (_what, view, style) => {
    const shares = []
    for (const size of ['wide', 'narrow'] as const) {
      shares.push(await difference(await drawn(view, size, 'light'), await drawnWith(style, view, size)))
    }
    expect(Math.max(...shares)).toBeGreaterThan(most)
  })
  test('the same view twice is the same, and with other edges of its signs nearly', async () => {
    const [one, again] = [await drawn('case', 'wide', 'light'), await drawnWith('* {}', 'case', 'wide')]
    expect(await difference(one, again)).toBeLessThanOrEqual(most / 10)
    const blurred = await drawnWith('* { -webkit-text-stroke: 0.2px }', 'case', 'wide')
    expect(await difference(one, blurred)).toBeLessThanOrEqual(most)
  })
})
