/** The page of promises: each once, with tests that exist; what breaks each of them is still in the source; the folders of the brief. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readPage, root } from './pages.ts'

const tests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
)
const page = readPage('docs/reference/seeds.md')
const breaks = z
  .array(
    z.strictObject({
      ...{ row: z.number(), test: z.string(), name: z.string().min(1) },
      ...{ file: z.string(), from: z.string().min(1), to: z.string() },
    }),
  )
  .parse(JSON.parse(readFileSync(path.join(root, 'scripts/seeds.json'), 'utf8')))

interface Row {
  number: number
  result: string
  /** Paths below test/; null: missing, or of several files. */
  tests: (string | null)[]
}

function readRows(text: string): Row[] {
  return [...text.matchAll(/^\| (\d+) +\|.* \| (\w+) +\| (.+) \|$/gm)].map(([, number, result = '', last = '']) => {
    const named = [...last.matchAll(/`([^`]+)`/g)].map(([, name]) =>
      tests.filter((file) => `/${file}`.endsWith(`/${name}`)),
    )
    return {
      number: Number(number),
      result,
      tests: named.map(([one = null, ...more]) => (more.length > 0 ? null : one)),
    }
  })
}
const rows = readRows(page)

describe('each promise', () => {
  const all = Array.from({ length: 110 }, (_, at) => at + 1)
  test('is on the page once, in order, with tests that exist', () => {
    expect(rows.map(({ number }) => number)).toEqual(all)
    expect(rows.filter((row) => row.tests.length === 0 || row.tests.includes(null))).toEqual([])
  })
  test('is broken once, in a text that its file has once, for the first of its tests', () => {
    expect(breaks.map(({ row }) => row)).toEqual(all)
    expect(breaks.map((one) => one.test)).toEqual(rows.map((row) => row.tests[0]))
    const count = ({ file, from }: { file: string; from: string }) => readPage(file).split(from).length - 1
    expect(breaks.filter((one) => count(one) !== 1 || one.from === one.to)).toEqual([])
  })
  test('is counted at the top of the page by its result', () => {
    const [held, different] = ['held', 'different'].map((result) =>
      rows.flatMap((row) => (row.result === result ? row.number : [])),
    )
    const list = (numbers: number[] = []) => numbers.join(', ').replace(/, (\d+)$/, ' and $1')
    expect(rows).toHaveLength((held?.length ?? 0) + (different?.length ?? 0))
    const said = `${held?.length} are held and ${different?.length} are different on purpose (${list(different)})`
    expect(page.replaceAll('\n', ' ')).toContain(`of 110 promises ${said}`)
  })
})

test('control: a test that is not there, and a name of several files', () => {
  const row = (cell: string) => `| 1 | a | b | held | ${cell} |\n`
  const read = readRows(row('`docs/seeds.test.ts`') + row('`docs/gone.test.ts`') + row('`contract.test.ts`'))
  expect(read.map((one) => one.tests)).toEqual([['docs/seeds.test.ts'], [null], [null]])
})

test('the folders of the brief are there, and TypeScript in them is checked', () => {
  const folders = ['src', 'viewer', 'schemas', 'workspaces', 'test']
  const files = ['package.json', 'tsconfig.json', 'viewer/tsconfig.json']
  expect([...folders, ...files].filter((name) => !existsSync(path.join(root, name)))).toEqual([])
  const { include } = JSON.parse(readPage('tsconfig.json'))
  expect(include).toEqual(expect.arrayContaining(['schemas', 'src', 'test'].map((name) => `${name}/**/*.ts`)))
})
