/** Debian's Chromium for tests of the page: what it said, asked for and ran is recorded. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { needs } from '../require.ts'

const whole = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
  existsSync(file),
)
/** It has no windows, not even unseen ones: the same pages for half of the CPU. */
const shell = ['/usr/bin/chromium-headless-shell'].find((file) => existsSync(file))

export const withChromium = needs('Chromium', whole !== undefined, 'apt-get install chromium chromium-headless-shell')

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: shell ?? whole ?? '', args: ['--no-sandbox'] })
}

/** As people have it, for what may leave a page: the other one opens fewer connections. `hosts`: ports of this machine by the name of a host that then leads there. */
export function launchWhole(hosts: Record<string, number> = {}): Promise<Browser> {
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`)
  const led = rules.length > 0 ? [`--host-resolver-rules=${rules.join(',')}`] : []
  return chromium.launch({ executablePath: whole ?? '', args: ['--no-sandbox', ...led] })
}

export interface Opened {
  page: Page
  /** Errors of the page's own program. */
  errors: string[]
  /** Addresses that were asked for, files of the page left out. */
  requests: string[]
}

/** Opens a page and waits until it is drawn. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  const opened: Opened = { page, errors: [], requests: [] }
  page.on('pageerror', (error) => opened.errors.push(error.message))
  context.on('request', (request) => opened.requests.push(request.url()))
  await page.goto(url)
  await page.waitForSelector('html[data-ready]')
  return opened
}

/** Goes to another view of the page that is open, and waits until it is drawn (what it fetches may come later). */
export async function visit(page: Page, hash: string): Promise<void> {
  const drawn = 'requestAnimationFrame(() => setTimeout(done, 0))'
  await page.evaluate(`new Promise((done) => {
    const before = location.href
    location.hash = ${JSON.stringify(hash)}
    if (location.href === before) return done()
    addEventListener('hashchange', () => ${drawn}, { once: true })
  })`)
}

/** The texts of all that match, once there is one. */
export async function texts(all: Locator): Promise<string[]> {
  await all.first().waitFor({ state: 'attached' })
  return all.allTextContents()
}

/** Folds out all that folds, also what comes into the page with it. */
export async function unfold(page: Page): Promise<void> {
  while ((await page.locator('main details:not([open])').count()) > 0) {
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    await page.waitForTimeout(60)
  }
}

/** One browser for the tests of a block, and what opens pages in it. */
export function useBrowser(start: () => Promise<Browser> = launch) {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await start()
  })
  afterAll(() => it.browser?.close())
  return (url: string, options?: BrowserContextOptions): Promise<Opened> => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, url, options)
  }
}

type Show = (url: string | undefined, hash?: string, width?: number, height?: number) => Promise<Page>

/** For the tests of a block: one browser. `show` goes to a view in the page of an address, which is opened once; `fresh` opens it anew. */
export function shareBrowser(): { show: Show; fresh: Show } {
  const pages = new Map<string, Page>()
  const all: Opened[] = []
  const opened = useBrowser()
  afterEach(() => expect(all.flatMap(({ errors }) => errors)).toEqual([]))
  const fresh: Show = async (url = '', hash = '', width = 1200, height = 900) => {
    const one = await opened(`${url}${hash}`, { viewport: { width, height } })
    all.push(one)
    return one.page
  }
  const show: Show = async (url = '', hash = '#/', width = 1200, height = 900) => {
    const page = pages.get(url)
    if (page === undefined) {
      pages.set(url, await fresh(url, hash, width, height))
      return show(url, hash, width, height)
    }
    await page.setViewportSize({ width, height })
    // nothing of what was opened, chosen or typed there before is left
    await page.evaluate('document.activeElement.blur()')
    await visit(page, '#/nowhere')
    await visit(page, hash)
    return page
  }
  return { show, fresh }
}
