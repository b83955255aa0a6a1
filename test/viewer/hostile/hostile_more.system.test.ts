/** Artefacts that would hang or break the page rather than run in it: family trees without end, records of no known form, plans that name other files. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { history, type Iteration } from '../../../schemas/history.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { readCaseFiles } from '../../../src/flows/page/data/case_files.ts'
import { readOutputs } from '../../../src/flows/page/read_outputs.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { buildVersionTree } from '../../../viewer/views/improve/version_tree.ts'
import { fresh } from '../../e2e/program.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { launch, type Opened, open, visit, withChromium } from '../browser.ts'
import { historyFile } from '../session_history.ts'
import { stage } from '../stage.ts'

const benchmark = aggregate(inputOf([...arm(1, 'with_skill', ['+']), ...arm(1, 'without_skill', ['-'])]))

function version(name: string, parent: string | null): Iteration {
  return {
    version: name,
    parent,
    expectation_pass_rate: 0.5,
    grading_result: 'lost',
    is_current_best: false,
  }
}
function historyOf(iterations: readonly Iteration[]): string {
  return JSON.stringify({ started_at: '', skill_name: 'x', current_best: 'v0', iterations })
}
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

/** 14 generations, each of five versions of one name: 5 to the power of 14 lines of descent. */
const doubled = Array.from({ length: 70 }, (_, index) => {
  const generation = Math.floor(index / 5)
  return version(`v${generation}`, generation === 0 ? null : `v${generation - 1}`)
})
const chain = Array.from({ length: 3000 }, (_, index) => version(`v${index}`, index === 0 ? null : `v${index - 1}`))

const sizeOf = (nodes: ReturnType<typeof buildVersionTree>): number =>
  nodes.reduce((sum, { below }) => sum + 1 + sizeOf(below), 0)

describe('a family tree of versions', () => {
  test.each([
    ['names that many bear', doubled, 70],
    ['a long chain', chain, 3000],
    ['its own parent', [version('a', 'a')], 1],
    ['a circle', [version('a', 'b'), version('b', 'a')], 2],
    ['prototypes', [version('__proto__', 'constructor'), version('constructor', '__proto__')], 2],
  ])('%s: each version once', (_what, iterations, size) => expect(sizeOf(buildVersionTree(iterations))).toBe(size))
})

withChromium('pages of hostile artefacts', () => {
  const it: { browser?: Browser } = {}
  beforeAll(async () => {
    it.browser = await launch()
  })
  afterAll(() => it.browser?.close())
  const opened = async (url: string): Promise<Opened> => {
    if (it.browser === undefined) throw new Error('no browser')
    return await open(it.browser, url)
  }

  test.each([
    ['names that many bear', doubled],
    ['a long chain', chain],
  ])('%s', { timeout: 60_000 }, async (_what, iterations) => {
    const { url } = await stage({ benchmark, files: { '../../history.json': historyOf(iterations) } })
    const { page, errors } = await opened(`${url}#/improve`)
    await page.locator('.version').last().waitFor()
    expect([await page.locator('.version').count(), errors]).toEqual([iterations.length, []])
  })

  test.each([360, 1280])(
    'thousands of edits of very long words: a part at a time, within %i px',
    { timeout: 60_000 },
    async (width) => {
      const { url } = await stage({ benchmark, files: { '../../history.json': manyEdits() } })
      const { page, errors } = await opened(`${url}#/improve`)
      await page.setViewportSize({ width, height: 900 })
      await page.locator('.edit').first().waitFor()
      expect(await page.locator('.edit').count()).toBe(96)
      expect([await page.evaluate('document.documentElement.scrollWidth'), errors]).toEqual([width, []])
      await visit(page, '#/improve?edit=30.1.99')
      await expect.poll(() => page.locator('.edit[open] .edit-id').textContent()).toBe('30.1.99')
      expect([await page.evaluate('document.documentElement.scrollWidth'), errors]).toEqual([width, []])
    },
  )

  test('a view that can not be drawn says so, and the others are there', async () => {
    const odd = Object.assign({}, benchmark, {
      audit: { sentence: 'without its table', corrected: null, banner: null },
    })
    const { page, errors } = await opened(`${(await stage({ benchmark: odd })).url}#/audit`)
    await page.getByRole('alert').waitFor()
    await visit(page, '#/')
    await expect.poll(() => page.locator('h1').textContent()).toContain('95% CI')
    await visit(page, '#/case/1')
    expect([await page.locator('h1').textContent(), errors]).toEqual([expect.stringContaining('case-1'), []])
  })
})

test('of very many files the rest is told', () => {
  const folder = fresh()
  for (let number = 0; number < 203; number += 1) writeFileSync(path.join(folder, `${1000 + number}.txt`), 'x')
  const files = readOutputs(folder)
  expect([files.length, files.at(-2)?.path, files.at(-1)?.path]).toEqual([201, '1199.txt', '… 3 more files'])
  expect(files.at(-1)?.left_out).toContain('200 files')
})

describe('input files that a plan names', () => {
  const folder = fresh()
  mkdirSync(path.join(folder, 'sub'))
  writeFileSync(path.join(folder, 'key.txt'), 'secret')
  writeFileSync(path.join(folder, 'sub/key.txt'), 'secret')
  const shown = async (file: object) => {
    const named = { path: 'in', source: path.join(folder, 'key.txt'), kind: 'file' as const, bytes: 6, ...file }
    const files = await readCaseFiles([{ eval_id: 1, files: [named] } as never])
    return files.get(1)?.map(({ body, left_out }) => body || left_out)
  }
  const gone = ['The file was moved or changed after the benchmark was planned.']
  const inFolder = sha256(`key.txt\0${sha256('secret')}\0`)
  test.each<[string, object, readonly string[]]>([
    ['as planned', { sha256: sha256('secret') }, ['secret']],
    ['of the same size, another content', { sha256: sha256('publik') }, gone],
    ['a folder as planned', { kind: 'directory', source: path.join(folder, 'sub'), sha256: inFolder }, ['secret']],
    ['a folder of another content', { kind: 'directory', source: path.join(folder, 'sub'), sha256: '0' }, gone],
    ['a device', { source: '/dev/zero', bytes: 0, sha256: sha256('') }, gone],
    ['very large', { bytes: 1e9, sha256: sha256('secret') }, ['Too large for the page.']],
  ])('%s', async (_what, file, expected) => expect(await shown(file)).toEqual(expected))
})
