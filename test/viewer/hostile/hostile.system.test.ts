/** Nothing of a run is HTML or script in the page: texts, file names and names of cases that are attacks, in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { visit, withChromium } from '../browser.ts'
import type { Staged } from '../stage.ts'
import { texts } from './attacks.ts'
import { drawAll, everywhere, fired, lab, manyFrames, staged } from './laboratory.ts'

const views = [
  '#/',
  `#/runs?q=${encodeURIComponent(texts[0] ?? '')}`,
  '#/case/1?as=diff',
  '#/run/1/with_skill/1',
  '#/run/1/with_skill/1?tab=outputs',
  '#/run/2/with_skill/1',
  `#/${encodeURIComponent(texts[9] ?? '')}/%E0%A4%A`,
  '#/constructor',
]

withChromium('attacks in every field', () => {
  let page: Staged
  beforeAll(async () => {
    page = await staged()
  })

  test('no view runs anything, and nothing leaves, also where HTML is drawn', async () => {
    await using it = await lab()
    const seen = await it.open(page.url)
    for (const hash of views) {
      await visit(seen.page, hash)
      await seen.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
      expect([hash, await fired(seen.page)]).toEqual([hash, undefined])
    }
    await visit(seen.page, '#/run/1/with_skill/1?tab=outputs')
    // negative control: the attacks are there, as text
    await expect.poll(() => seen.page.locator('main').textContent()).toContain('<img src=x onerror=window.__canary=1>')
    const drawn = await it.open(`${page.url}${manyFrames}`)
    expect(await drawAll(drawn.page)).toBe(texts.length)
    const errors = [...seen.errors, ...drawn.errors]
    expect([await fired(seen.page), await fired(drawn.page), await it.left(), errors]).toEqual([
      undefined,
      undefined,
      [],
      [],
    ])
    expect(await seen.page.evaluate('document.body.textContent.includes("\\u202E")')).toBe(false)
  })

  test('negative control: the same text as HTML, without the policy, fires and leaves', async () => {
    const { report, url } = page
    const bare = readFileSync(report, 'utf8').replace(/<meta http-equiv[^>]*>/, '')
    writeFileSync(report, bare.replace('<body>', `<body><img src="http://canary.invalid/x"><div>${everywhere}</div>`))
    await using it = await lab()
    const seen = await it.open(url).catch(() => null)
    if (seen !== null) expect(await fired(seen.page)).toBeTruthy()
    expect(await it.left()).toContain('GET /x HTTP/1.1')
  })
})
