/** Which benchmark is the iteration before: of the same skill, by what its plan.json says. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findPreviousIteration } from '../../../../src/flows/page/lazy_sections.ts'
import { folderOf } from '../../../store/folder_of.ts'

const now = '2026-01-16T10-30-00Z'
const before = '2026-01-15T10-30-00Z'

/** The folder of the newer one; `earlier`: files of the older one by name. */
function benchmarks(own: string, earlier: Record<string, string>): string {
  const older = Object.entries(earlier).map(([name, text]) => [`${before}/${name}`, text])
  const root = folderOf({ [`${now}/plan.json`]: own, ...Object.fromEntries(older) })
  mkdirSync(path.join(root, before), { recursive: true })
  return path.join(root, now)
}

const planOf = (name: string) => JSON.stringify({ skill: { name, path: '/s' }, runs: [] })
const found = (own: string, earlier: Record<string, string>) =>
  path.basename(findPreviousIteration(benchmarks(own, earlier))?.folder ?? 'none')

test.each([
  ['the same skill', planOf('a "b" ü'), { 'plan.json': planOf('a "b" ü') }, before],
  ['another skill', planOf('a'), { 'plan.json': planOf('b') }, 'none'],
  ['another skill, its name not first', planOf('a'), { 'plan.json': '{"skill": {"path": "/s", "name": "b"}}' }, 'none'],
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
