/** Quotes in evidence lead to where they were looked up when the run was graded, in a real browser; without that, to where they read the same. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { launch, open, withChromium } from '../browser.ts'

const fox = 'The quick brown fox jumps over the lazy dog near the river bank.'
const script = (name: string, text: string) => {
  const file = path.join(fresh(), name)
  writeFileSync(file, text)
  return `command:${process.execPath} ${file}`
}
const agent = script(
  'agent.mjs',
  `import { writeFileSync } from 'node:fs'
writeFileSync('a.md', '# A\\nTotal: 7\\n1284 left\\nand 284 left\\n')
writeFileSync('b.md', 'first\\nTotal: 7\\n${fox}\\nnothing else is here\\n')
writeFileSync('long.txt', 'a line of it\\n'.repeat(5000) + 'far away\\n')
console.log('17 of 12 is wrong.\\n7 of 12 is right.')
`,
)
const evidence = {
  'of two files the one that is named': 'b.md says "Total: 7"',
  'the word, not a part of another': 'a.md says "284 left"',
  'the first event that says it': 'it says "7 of 12"',
  'nearly what stands there': 'b.md says "The quick brown fox jumped over the lazy dog near the river bank."',
  'without any marks': 'nothing else is here',
  'further than what is shown at first': 'long.txt ends with "far away"',
  'what the case was given': 'given.txt has "42 crates"',
  'what stands nowhere': 'it says "never said"',
}
const names = Object.keys(evidence) as (keyof typeof evidence)[]
const judge = script(
  'judge.mjs',
  `import { readFileSync } from 'node:fs'
const [, asked = ''] = /<expectations>\\n([\\s\\S]*?)<\\/expectations>/.exec(readFileSync(0, 'utf8')) ?? []
const known = ${JSON.stringify(evidence)}
const verdicts = [...asked.matchAll(/^(\\d+)\\. (.*)$/gm)].map(([, n, text]) => ({ n: Number(n), passed: true, evidence: known[text] }))
console.log(JSON.stringify({ verdicts }))
`,
)

withChromium('a quote and its place', () => {
  const it: { browser?: Browser; folder: string } = { folder: '' }
  beforeAll(async () => {
    it.browser = await launch()
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'count', expectations: names, files: ['given.txt'] }], {
      'given.txt': 'made 142 crates\nsold 42 crates\n',
    })
    const flags = ['--engine', agent, '--judge', judge, '--runs', '1', '--workspace', path.join(fresh(), 'ws')]
    const end = await whetstone(['bench', skill, ...flags, '--sandbox', 'off', '--json'])
    it.folder = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  })
  afterAll(() => it.browser?.close())

  const opened = async (hash = '#/run/1/with_skill/1'): Promise<Page> => {
    if (it.browser === undefined) throw new Error('no browser')
    const { page, errors } = await open(it.browser, `file://${it.folder}/report.html${hash}`)
    await page.locator('.verdicts .quote').first().waitFor()
    expect(errors).toEqual([])
    return page
  }
  const verdict = (page: Page, name: keyof typeof evidence) => page.locator('.verdicts > li', { hasText: name })
  /** The file or event that holds marks, and each mark with what stands before it in its line. */
  const marked = async (page: Page): Promise<string[][]> => {
    await page.locator('#part mark').first().waitFor()
    return page.evaluate<string[][]>(`[...document.querySelectorAll('#part mark')].map((one) => {
      const place = one.closest('.output')?.querySelector('h3 bdi') ?? one.closest('.event')?.querySelector('.kind')
      const before = one.previousSibling?.textContent.split('\\n').at(-1) ?? ''
      return [place.textContent.trim(), before, one.textContent]
    })`)
  }
  const followed = async (name: keyof typeof evidence, page?: Page) => {
    const own = page ?? (await opened())
    await verdict(own, name).locator('.quote').click()
    return { page: own, marks: await marked(own) }
  }

  test.each<[keyof typeof evidence, [string, string, string]]>([
    ['of two files the one that is named', ['b.md', '', 'Total: 7']],
    ['the word, not a part of another', ['a.md', 'and ', '284 left']],
    ['nearly what stands there', ['b.md', '', fox.slice(0, -1)]],
    ['without any marks', ['b.md', '', 'nothing else is here']],
    ['what the case was given', ['given.txt', 'sold ', '42 crates']],
    ['further than what is shown at first', ['long.txt', '', 'far away']],
  ])('%s', async (name, expected) => {
    const { page, marks } = await followed(name)
    expect(marks).toEqual([expected])
    const again = await opened(new URL(page.url()).hash)
    expect(await marked(again)).toEqual([expected])
    const top = await again.locator('#part mark').evaluate((one) => one.getBoundingClientRect().top)
    expect(top).toBeLessThan(900)
  })
  test('the first event that says it, alone; the other tab forgets it', async () => {
    const { page, marks } = await followed('the first event that says it')
    expect(marks).toHaveLength(1)
    expect(marks[0]?.slice(1)).toEqual(['', '7 of 12'])
    const places = (test: string) =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.timeline > li')].flatMap((one, at) => (${test} ? [at] : []))`,
      )
    const saying = await places(`one.textContent.includes('7 of 12 is right')`)
    expect(saying.length).toBeGreaterThan(1)
    expect(await places(`one.querySelector('mark') !== null`)).toEqual(saying.slice(0, 1))
    await page.getByRole('tab', { name: 'Outputs' }).click()
    expect(new URL(page.url()).hash).toBe('#/run/1/with_skill/1?tab=outputs')
  })
  test('what stands nowhere leads nowhere', async () => {
    const page = await opened()
    await expect.poll(() => verdict(page, 'what stands nowhere').locator('.quote').count()).toBe(0)
  })

  const regraded = async (change: (one: Record<string, unknown>) => void) => {
    const file = path.join(it.folder, 'eval-1-one/with_skill/run-1/grading.json')
    const before = readFileSync(file, 'utf8')
    const grading = JSON.parse(before)
    for (const one of grading.expectations) change(one)
    writeFileSync(file, JSON.stringify(grading))
    const end = await whetstone(['view', it.folder, '--no-open'])
    expect(end.code, end.stderr).toBe(0)
    return async () => {
      writeFileSync(file, before)
      await whetstone(['view', it.folder, '--no-open'])
    }
  }
  test.each<[string, (one: Record<string, unknown>) => void]>([
    ['negative control: without the places', (one) => delete one.evidence_at],
    [
      'places of a file that has changed',
      (one) => {
        if (one.evidence_at) one.evidence_at = { ...one.evidence_at, line: 99 }
      },
    ],
    [
      'places beyond the end',
      (one) => {
        if (one.evidence_at) one.evidence_at = { ...one.evidence_at, start: 1e6, end: 1e6 + 3 }
      },
    ],
  ])('%s a quote leads to what reads the same', async (_what, change) => {
    const back = await regraded(change)
    try {
      const page = await opened()
      expect((await followed('of two files the one that is named', page)).marks).toEqual([['a.md', '', 'Total: 7']])
      expect((await followed('the word, not a part of another', page)).marks).toEqual([
        ['a.md', '1', '284 left'],
        ['a.md', 'and ', '284 left'],
      ])
      expect((await followed('what the case was given', page)).marks).toHaveLength(2)
      await expect.poll(() => verdict(page, 'nearly what stands there').locator('.quote').count()).toBe(0)
    } finally {
      await back()
    }
  })
})
