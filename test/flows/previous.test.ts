/** Which benchmark is the iteration before: of the same skill, by what plan.json says at its start. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { previousOf } from '../../src/flows/page/previous.ts'

const now = '2026-01-16T10-30-00Z'
const before = '2026-01-15T10-30-00Z'

/** The folder of the newer one; `earlier`: files of the older one by name. */
function benchmarks(own: string, earlier: Record<string, string>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'previous-'))
  const put = (name: string, files: Record<string, string>) => {
    mkdirSync(path.join(root, name))
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, name, file), text)
  }
  put(now, { 'plan.json': own })
  put(before, earlier)
  return path.join(root, now)
}

const planOf = (name: string, rest = '"runs": []}') =>
  `{"suite": {"path": "\\"skill\\": {\\"name\\": \\"no\\""}, "skill": {"name": ${JSON.stringify(name)}, "path": "/s"}, ${rest}`
const found = (own: string, earlier: Record<string, string>) =>
  path.basename(previousOf(benchmarks(own, earlier))?.folder ?? 'none')

test.each([
  ['the same skill', planOf('a "b" ü'), { 'plan.json': planOf('a "b" ü') }, before],
  ['another skill', planOf('a'), { 'plan.json': planOf('b') }, 'none'],
  [
    'the end is not read, so it may be long',
    planOf('a'),
    { 'plan.json': planOf('a', '"runs": [tens of megabytes') },
    before,
  ],
  ['another one, its end not read', planOf('a'), { 'plan.json': planOf('b', '"runs": [tens of megabytes') }, 'none'],
  [
    'a name that is written otherwise is read from the whole',
    planOf('a'),
    { 'plan.json': '{"skill": {"path": "/s", "name": "b"}}' },
    'none',
  ],
  [
    'without a plan, from its benchmark',
    planOf('a'),
    { 'benchmark.json': '{"metadata": {"skill_name": "b"}}' },
    'none',
  ],
  ['nothing said of it', planOf('a'), {}, before],
])('%s', (_what, own, earlier, expected) => {
  expect(found(own, earlier)).toBe(expected)
})
