/** A run in a real browser: quotes lead to where they were looked up, outputs by their kind, long files, notes. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { shareBrowser, visit, withChromium } from '../browser.ts'
import { benchmark, files, runs } from '../full_workspace.ts'
import { stageSmall } from '../sample.ts'
import { type Staged, stage } from '../stage.ts'

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
  const { show } = shareBrowser()
  const it = { folder: '' }
  beforeAll(async () => {
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'count', expectations: names, files: ['given.txt'] }], {
      'given.txt': 'made 142 crates\nsold 42 crates\n',
    })
    const flags = ['--engine', agent, '--judge', judge, '--runs', '1', '--workspace', path.join(fresh(), 'ws')]
    const end = await runMain(['bench', skill, ...flags, '--sandbox', 'off', '--json'])
    it.folder = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  })

  const opened = async (hash = '#/run/1/with_skill/1', report = `${it.folder}/report.html`): Promise<Page> => {
    const page = await show(`file://${report}`, hash)
    await page.locator('.verdicts .quote').first().waitFor()
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

  /** The page of the same runs, graded otherwise, as a file of its own. */
  const regraded = async (name: string, change: (one: Record<string, unknown>) => void): Promise<string> => {
    const file = path.join(it.folder, 'eval-1-one/with_skill/run-1/grading.json')
    const before = readFileSync(file, 'utf8')
    const grading = JSON.parse(before)
    for (const one of grading.expectations) change(one)
    writeFileSync(file, JSON.stringify(grading))
    const site = path.join(fresh(), name)
    const end = await runMain(['view', it.folder, '--no-open', '--static', site])
    expect(end.code, end.stderr).toBe(0)
    writeFileSync(file, before)
    return path.join(site, 'index.html')
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
    const page = await opened(undefined, await regraded('site', change))
    expect((await followed('of two files the one that is named', page)).marks).toEqual([['a.md', '', 'Total: 7']])
    expect((await followed('the word, not a part of another', page)).marks).toEqual([
      ['a.md', '1', '284 left'],
      ['a.md', 'and ', '284 left'],
    ])
    expect((await followed('what the case was given', page)).marks).toHaveLength(2)
    await expect.poll(() => verdict(page, 'nearly what stands there').locator('.quote').count()).toBe(0)
  })
})

const outputs = {
  'long.txt': 'a line\n'.repeat(900),
  'cut.txt': 'a line\n'.repeat(40_000),
}
/** Of three bytes a character: what the page holds of it is short enough to compare. */
const far = (end: string) => `${'汉'.repeat(50_000)}\n`.repeat(2) + end

withChromium('what a run left', () => {
  const { show, fresh: reopen } = shareBrowser()
  const it: { small?: Staged; long?: Staged; full?: Staged } = {}
  beforeAll(async () => {
    it.small = await stageSmall()
    it.full = await stage({ benchmark, runs, files })
    const both = aggregate(inputOf([...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])]))
    const run = (configuration: string, end: string) => ({
      ...{ eval_id: 1, configuration, run_number: 1, outputs: { ...outputs, 'far.txt': far(end) } },
    })
    it.long = await stage({ benchmark: both, runs: [run('with_skill', 'one'), run('without_skill', 'two')] })
  })

  test('run: outputs by type', async () => {
    const page = await show(it.small?.url, '#/run/1/with_skill/1?tab=outputs')
    await expect.poll(() => page.locator('.markdown h1').textContent()).toBe('Sales')
    await expect.poll(() => page.locator('.sheet td').nth(2).textContent()).toBe('a, b')
    await expect.poll(() => page.locator('.tree summary').first().textContent()).toContain('{')
    await expect.poll(() => page.locator('.c-word').first().textContent()).toMatch(/\w/)
    await expect.poll(() => page.locator('.output img').getAttribute('src')).toMatch(/^blob:/)
    const waiting = page.waitForEvent('download')
    await page.locator('.output', { hasText: 'blob.bin' }).getByRole('link', { name: 'Download' }).click()
    expect((await waiting).suggestedFilename()).toBe('blob.bin')
  })
  test('a long file has a bounded box that shows all on request, and a list leads to each', async () => {
    const page = await show(it.long?.url, '#/run/1/with_skill/1?tab=outputs')
    await page.getByRole('navigation', { name: 'Files' }).getByRole('link', { name: 'long.txt' }).click()
    const file = page.locator('.output', { has: page.getByRole('heading', { name: 'long.txt' }) })
    await expect.poll(() => file.evaluate((one) => Math.abs(one.getBoundingClientRect().top))).toBeLessThan(200)
    const height = () => file.evaluate((one) => one.clientHeight)
    const before = await height()
    expect(before).toBeLessThan(800)
    await file.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => height()).toBeGreaterThan(5000)
  })
  test('of files that are cut no more is compared than the page holds, which it says; equal ones are known by their hash', async () => {
    const page = await show(it.long?.url, '#/case/1?as=diff')
    const pair = page.locator('.pair', { has: page.getByRole('heading', { name: 'far.txt' }) })
    await pair.waitFor()
    await expect
      .poll(() => pair.textContent())
      .toMatch(/only the start of both.*No difference as far as the page holds them/)
    const cut = page.locator('.pair', { has: page.getByRole('heading', { name: 'cut.txt' }) })
    await expect.poll(() => cut.textContent()).toBe('cut.txtNo difference.')
  })
  test.each([360, 400])('no word of a tab is broken: %i px', async (width) => {
    const page = await show(it.full?.url, '#/run/1/with_skill/1', width)
    await page.getByRole('tab').first().waitFor()
    const heights = await page
      .getByRole('tab')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(heights).toHaveLength(4)
    for (const height of heights) expect(height).toBeLessThan(44)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })
  test('what differs from the iteration before, on request', async () => {
    const part = (await show(it.full?.url, '#/run/1/with_skill/1?tab=previous')).locator('#part')
    await part.getByRole('button', { name: 'Show differences' }).click()
    await expect.poll(() => part.locator('.diff .gone').allTextContents()).toEqual(['− it was done\n', '− then\n'])
    await expect.poll(() => part.locator('.diff .new').allTextContents()).toEqual(['+ it is done\n', '+ now\n'])
  })
  test('notes of a run and a case: downloaded, put beside, read again, and beside the next iteration', async () => {
    const staged = await stage({ benchmark, runs })
    const page = await reopen(`${staged.url}#/run/1/with_skill/2`)
    await page.locator('textarea').fill('good')
    await visit(page, '#/case/1')
    await page.locator('textarea').fill('keep this case')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download feedback.json' }).click()
    await (await waiting).saveAs(path.join(staged.folder, 'feedback.json'))
    await staged.again()
    const again = await reopen(`${staged.url}#/run/1/with_skill/2`)
    await expect.poll(() => again.locator('textarea').inputValue()).toBe('good')
    await visit(again, '#/case/1')
    await expect.poll(() => again.locator('textarea').inputValue()).toBe('keep this case')
    const text = JSON.stringify({ 'eval-1-with_skill-run-1': 'in the dialect of agentskills.io' })
    writeFileSync(path.join(staged.folder, 'feedback.json'), text)
    await staged.again()
    const other = await reopen(`${staged.url}#/run/1/with_skill/1`)
    await expect.poll(() => other.locator('textarea').inputValue()).toBe('in the dialect of agentskills.io')
  })
})
