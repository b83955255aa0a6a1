/** What the pages promise: short, reachable from the index, and complete where they list something. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../schemas/flow_event.ts'
import { failureKind } from '../../schemas/run.ts'
import { exitCodes } from '../../src/cli/exit_codes.ts'
import { linksIn, pages, readPage, root } from './pages.ts'

const docs = pages.filter((page) => page.startsWith('docs/'))
const lineCount = (text: string) => text.trimEnd().split('\n').length

test('README fits in 80 lines and has the two commands, and the picture before the first heading', () => {
  const readme = readPage('README.md')
  expect(lineCount(readme)).toBeLessThanOrEqual(80)
  expect(readme).toContain('npm ci && npm run demo')
  expect(readme).toContain('npm ci && npm test')
  expect(readme.split('\n## ')[0]).toMatch(/!\[[^\]]+\]\(docs\/images\//)
})

test.each(docs.filter((page) => page !== 'docs/reference/cli.md'))('at most 250 lines: %s', (page) => {
  expect(lineCount(readPage(page))).toBeLessThanOrEqual(250)
})

function reachablePages(start: string, read: (page: string) => string): Set<string> {
  const found = new Set<string>()
  const open = [start]
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (found.has(page)) continue
    found.add(page)
    open.push(...linksIn(page, read(page)).flatMap(({ file }) => (docs.includes(file) ? [file] : [])))
  }
  return found
}

describe('the index', () => {
  test('leads to every page', () => {
    const linked = new Set(linksIn('docs/README.md', readPage('docs/README.md')).map(({ file }) => file))
    expect(docs.filter((page) => page !== 'docs/README.md' && !linked.has(page))).toEqual([])
  })
  test('README leads to it', () => expect(reachablePages('README.md', readPage)).toContain('docs/README.md'))
  test('control: a page without links leads nowhere', () =>
    expect([...reachablePages('docs/README.md', () => 'no link')]).toEqual(['docs/README.md']))
  test('pages are in the four folders', () => {
    const odd = docs.filter(
      (page) => !/^docs\/(README\.md$|(tutorial|how-to|reference|explanation)\/(engines\/)?[\w-]+\.md$)/.test(page),
    )
    expect(odd).toEqual([])
  })
})

function sourceText(): string {
  const names = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(root, 'src', name), 'utf8'))
    .join('\n')
}

describe('what is listed is complete', () => {
  test('environment variables', () => {
    const page = readPage('docs/reference/environment-variables.md')
    const own = sourceText().match(/\bWHETSTONE_[A-Z_]*[A-Z]\b/g) ?? []
    const read = sourceText().match(/(?<=process\.env\.)[A-Z_]+/g) ?? []
    const names = new Set([...own, ...read].filter((name) => name !== 'HOME'))
    expect(names.size).toBeGreaterThan(8)
    expect([...names].filter((name) => !page.includes(name))).toEqual([])
  })
  test('exit codes', () => {
    const page = readPage('docs/reference/exit-codes.md')
    const listed = [...page.matchAll(/^\| +(\d+) \|/gm)].map(([, code]) => Number(code))
    expect(listed).toEqual(Object.values(exitCodes))
  })
  test('events', () => {
    const page = readPage('docs/reference/exit-codes.md')
    const types = flowEvent.options.map((option) => option.shape.type.value)
    expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([])
  })
  test('exports of the library', () => {
    const index = readFileSync(path.join(root, 'src/index.ts'), 'utf8')
    const lists = [...index.matchAll(/^export (?:type )?\{(.*?)\} from/gm)].flatMap(([, list = '']) => list.split(','))
    const names = lists.map((one) =>
      one
        .replace(/^.* as /, '')
        .replace(/^\s*type /, '')
        .trim(),
    )
    const page = readPage('docs/reference/library.md')
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !new RegExp(`\`${name}(\\(|\`)`).test(page))).toEqual([])
  })
  test('the parts of messages to look for are in messages', () => {
    const [, table = ''] = readPage('docs/how-to/troubleshooting.md').split(/^## /m)
    const cells = [...table.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell)
    const parts = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, part = '']) => part))
    const source = sourceText()
    expect(parts.length).toBeGreaterThan(10)
    expect(parts.filter((part) => !part.startsWith('--') && !source.includes(part))).toEqual([])
  })
  test('kinds of failures', () => {
    const page = readPage('docs/how-to/troubleshooting.md')
    expect(failureKind.options.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([])
  })
})
