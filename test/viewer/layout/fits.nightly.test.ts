/** Every view for everybody: WCAG 2.2 AA in both themes, 360 px to 4K, by keyboard in order, without motion, on paper. */
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { useBrowser, visit, withChromium } from '../browser.ts'
import { foreign } from '../foreign.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { everything, stageSmall } from '../sample.ts'
import { matrixFile } from '../skill_matrix.ts'
import { stage } from '../stage.ts'

const matrix = matrixFile((text) => text)
const pages = {
  small: stageSmall,
  all: () => stage({ benchmark: everything }),
  full: () =>
    stage({ benchmark, runs, files: { ...files, '../../triggers/2026-01-15T12-00-00Z/trigger_matrix.json': matrix } }),
  two: async () => {
    const cwd = fresh()
    const end = await runMain(['view', '--compare', foreign(), foreign(true), '--json'], { cwd })
    return { url: `file://${path.resolve(cwd, JSON.parse(end.stdout).page)}` }
  },
}
type Which = keyof typeof pages
const names: Which[] = ['small', 'all', 'full', 'two']

const views: [Which, string][] = [
  ['small', '#/'],
  ['all', '#/'],
  ['two', '#/'],
  ['all', '#/runs'],
  ['small', '#/runs?q=nothing-like-it'],
  ['small', '#/case/1'],
  ['all', '#/case/6'],
  ['two', '#/case/1?as=diff'],
  ['small', '#/run/1/with_skill/1'],
  ['small', '#/run/1/with_skill/1?tab=outputs'],
  ['small', '#/run/1/with_skill/1?tab=raw'],
  ['all', '#/run/3/without_skill/3'],
  ['two', '#/run/1/B_with_skill/1'],
  ['full', '#/compare?at=eval-1%2Fcomparison-1.json'],
  ['full', '#/triggers?id=3'],
  ['full', '#/improve?edit=1.1.1'],
  ['full', '#/trend'],
  ['full', '#/run/1/with_skill/1?tab=previous'],
  ['small', '#/nowhere'],
]
const levels = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

interface Focused {
  what: string
  top: number
  left: number
  right: number
  isSeen: boolean
}

/** What holds the focus, where, and whether it is drawn on top, with a ring. */
const focused = `(() => {
  const one = document.activeElement
  const box = one.getBoundingClientRect()
  const drawn = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 12))
  const ring = getComputedStyle(one).outlineStyle !== 'none'
  return {
    what: (one.closest('header.bar') ? 'bar: ' : '') + (one.ariaLabel ?? one.innerText ?? one.tagName).slice(0, 40),
    top: Math.round(box.top + scrollY), left: Math.round(box.left), right: Math.round(box.right),
    isSeen: ring && drawn !== null && (one.contains(drawn) || drawn.contains(one)),
  }
})()`

/** The colours change over a moment: what is between two themes is neither. */
const settled = `new Promise((done) => requestAnimationFrame(() => {
  Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => done(null))
}))`

withChromium('every view fits', () => {
  const urls = new Map<Which, string>()
  const open = useBrowser()
  beforeAll(async () => {
    for (const which of names) urls.set(which, (await pages[which]()).url)
  })
  const opened = (which: Which, hash: string, options: BrowserContextOptions = {}) =>
    open(`${urls.get(which)}${hash}`, options)

  const faults = async (page: Page, axe = new AxeBuilder({ page }).withTags(levels)): Promise<string[]> => {
    const { violations } = await axe.analyze()
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
  }
  test.each(names)(
    'axe finds nothing in the views of %s, in the dark theme no low contrast',
    { timeout: 240_000 },
    async (which) => {
      const { page, errors } = await opened(which, '', { bypassCSP: true, reducedMotion: 'reduce' })
      for (const [, hash] of views.filter(([one]) => one === which)) {
        await visit(page, hash)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.evaluate(settled)
        expect([hash, await faults(page)]).toEqual([hash, []])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.evaluate(settled)
        expect([hash, await faults(page, new AxeBuilder({ page }).withRules(['color-contrast']))]).toEqual([hash, []])
      }
      expect(errors).toEqual([])
    },
  )
  test('axe finds nothing in the help either; negative control: it finds a contrast that is too low', async () => {
    const { page } = await opened('small', '#/', { bypassCSP: true })
    await page.keyboard.press('?')
    await page.locator('dialog').waitFor()
    expect(await faults(page)).toEqual([])
    await page.addStyleTag({ content: ':root { --ink: #999; }' })
    expect((await faults(page)).join()).toContain('color-contrast')
  })

  test.each(names)('no view of %s is wider than the screen', async (which) => {
    const { page } = await opened(which, '')
    for (const width of [360, 800, 1200, 2560, 3840]) {
      await page.setViewportSize({ width, height: 900 })
      for (const [, hash] of views.filter(([one]) => one === which)) {
        await visit(page, hash)
        const seen = await page.evaluate('document.documentElement.scrollWidth')
        expect([hash, width, Math.max(width, Number(seen))]).toEqual([hash, width, width])
      }
    }
  })

  const tabbed = async (page: Page, times: number): Promise<Focused[]> => {
    const found: Focused[] = []
    for (let left = times; left > 0; left -= 1) {
      await page.keyboard.press('Tab')
      // behind the last one comes the document again
      if (await page.evaluate('document.activeElement === document.body')) break
      found.push(await page.evaluate<Focused>(focused))
    }
    return found
  }
  test('the keyboard goes through the bar, then down the page; what has the focus is seen', async () => {
    for (const [hash, width] of [
      ['#/', 1200],
      ['#/case/1', 1200],
      ['#/run/1/with_skill/1', 1200],
      ['#/', 360],
    ] as const) {
      const { page } = await opened('small', hash, { viewport: { width, height: 800 } })
      const all = await tabbed(page, 16)
      const start = [
        'Skip to the content',
        'bar: ',
        'bar: Overview',
        'bar: Runs',
        'bar: Search cases and runs',
        'bar: Theme: system',
        'bar: Keyboard and search help',
      ]
      expect(all.slice(0, start.length).map(({ what }, at) => (at === 1 ? what.slice(0, 5) : what))).toEqual(start)
      expect([hash, width, all.filter(({ isSeen }) => !isSeen)]).toEqual([hash, width, []])
      const inside = all.slice(start.length)
      const back = inside.filter((one, at) => at > 0 && isBefore(one, inside[at - 1]))
      expect([hash, width, back]).toEqual([hash, width, []])
    }
  })
  test('the skip link leads into the content', async () => {
    const { page } = await opened('small', '#/case/1')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })

  const moving = (page: Page) =>
    page.evaluate<number>(`[...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one)
      return /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth'
    }).length`)
  test('nothing moves for who asked for no motion', async () => {
    const { page } = await opened('small', '#/', { reducedMotion: 'reduce' })
    for (const [, hash] of views.filter(([one]) => one === 'small')) {
      await visit(page, hash)
      expect([hash, await moving(page)]).toEqual([hash, 0])
    }
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await visit(page, '#/')
    expect(await moving(page)).toBeGreaterThan(0)
  })
})

/** Above, or left of it in the same line; in columns the next one starts again at the top, to the right. */
function isBefore(one: Focused, before: Focused | undefined): boolean {
  if (before === undefined) return false
  const isNextColumn = one.left >= before.right
  return one.top < before.top - 20 && !isNextColumn
}
