/** One edit renames the package: the texts that install, start or import it follow `package.json`, and nothing else does. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const { filesRenamed, filesWithPackageName, withPackageName } = await import(
  path.join(root, 'scripts/package_name.mjs')
)

const manifest = { name: '@other/whetstone', repository: { url: 'git+https://github.com/owner/grind.git' } }
const renamed = (text: string) => withPackageName(text, manifest)

describe('renamed', () => {
  test.each([
    ['npm install --global whetstone', 'npm install --global @other/whetstone'],
    ['npx --yes whetstone demo', 'npx --yes @other/whetstone demo'],
    ['npx -y @old/whetstone mcp', 'npx -y @other/whetstone mcp'],
    ['npx --package whetstone whetstone --version', 'npx --package @other/whetstone whetstone --version'],
    ['"args": ["-y", "whetstone", "mcp"]', '"args": ["-y", "@other/whetstone", "mcp"]'],
    [`import { bench } from 'whetstone'`, `import { bench } from '@other/whetstone'`],
    [`import { evalSuite } from "whetstone/vitest"`, `import { evalSuite } from "@other/whetstone/vitest"`],
    [`await import('whetstone')`, `await import('@other/whetstone')`],
    ['- `whetstone/vitest` runs suites', '- `@other/whetstone/vitest` runs suites'],
    ['- uses: somebody/whetstone@v1 # whetstone', '- uses: owner/grind@v1 # whetstone'],
  ])('%s', (text, wanted) => {
    expect(renamed(text)).toBe(wanted)
    expect(renamed(wanted)).toBe(wanted)
    expect(withPackageName(wanted, { ...manifest, name: 'whetstone' })).toBe(
      withPackageName(text, { ...manifest, name: 'whetstone' }),
    )
  })
})

test.each([
  'whetstone bench skills/pdf',
  'makes `whetstone` a command',
  'where whetstone is installed (with -g if whetstone is)',
  'npm install bullmq ioredis where whetstone is installed',
  'skills/whetstone teaches an agent',
  '`npx whetstone-worker`',
  '"whetstone": { "command": "whetstone" }',
  '- uses: actions/checkout@v5',
])('left: %s', (text) => expect(renamed(text)).toBe(text))

test('no text names another package than package.json does: npm run generate writes them', () => {
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect(filesRenamed(root, own)).toEqual([])
  const other: { file: string }[] = filesRenamed(root, manifest)
  const files = other.map(({ file }) => file)
  expect(files).toEqual(
    expect.arrayContaining(['docs/how-to/ci.md', 'docs/how-to/vitest.md', 'docs/reference/library.md']),
  )
  expect(filesWithPackageName(root).length).toBeGreaterThan(files.length)
})
