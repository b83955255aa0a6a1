/** Each row of the page of promises names its tests by paths that exist and mean one file. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readPage, root } from './pages.ts'

const tests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
)

/** The promises whose last cell names no test, or one that is missing or ambiguous. */
function wrongRows(text: string): string[] {
  const rows = [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()))
  return rows.flatMap(([promise = '', ...cells]) => {
    const last = cells.at(-1) ?? ''
    if (last === 'test' || last === '–' || /^-+$/.test(promise)) return []
    const named = [...last.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const found = named.map((name) => tests.filter((file) => `/${file}`.endsWith(`/${name}`)).length)
    return named.length > 0 && found.every((count) => count === 1) ? [] : [promise]
  })
}

test('every promise has tests', () => expect(wrongRows(readPage('docs/reference/seeds.md'))).toEqual([]))
test('control: no test, one that is not there, and a name of several files', () => {
  const row = (promise: string, cell: string) => `| ${promise} | a | b | ${cell} |\n`
  const right = row('right', '`docs/seeds.test.ts`, `schemas/seed.test.ts`')
  const wrong = row('none', 'x') + row('gone', '`docs/gone.test.ts`') + row('several', '`contract.test.ts`')
  expect(wrongRows(right + wrong)).toEqual(['none', 'gone', 'several'])
})
