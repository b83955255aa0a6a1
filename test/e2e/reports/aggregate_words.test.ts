/** What aggregate says of folders that it can't use whole: what is wrong, with its file, and a way out that there is. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/folder_of.ts'

const both = {
  'eval-1/with_skill/grading.json': graded(2, 2, 'a'),
  'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
}

test('problems alone are what keeps it from being complete: they are counted and named', async () => {
  const end = await runMain(['aggregate', folderOf({ ...both, 'benchmark.json': '{' })])
  expect(end.code).toBe(3)
  expect(end.stdout).toContain('INCOMPLETE: 2 of 2 planned runs are graded (left out: benchmark.json)')
})

test('of a file: a folder is wanted', async () => {
  const file = path.join(folderOf(both), 'eval-1/with_skill/grading.json')
  const end = await runMain(['aggregate', file])
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(/expected a folder, found a file \(.*grading\.json\)\nhint: \S/)
})

test.each(['aggregate', 'view', 'diff'])(
  '%s: a name of a configuration can neither draw nor make a line',
  async (command) => {
    const [evil, other] = ['evil', 'other'].map((name) => `${name}\u001b[31m\n::error::pwn\u202e`)
    const runs = [evil, other, 'third\r::warning::x'].map((configuration, at) => ({
      configuration,
      ...graded(1, 2, `${at}`),
    }))
    const folder = folderOf({ 'grading.json': { runs } })
    if (command === 'diff') await runMain(['aggregate', folder])
    const more = { aggregate: [], view: ['--no-open'], diff: [folder] }[command] ?? []
    const end = await runMain([command, folder, ...more])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stdout).toContain('evil')
    expect(end.stdout + end.stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|^::/mu)
  },
)

test.each([
  ['total_tokens', '1.7e308'],
  ['total_duration_seconds', '1e999'],
])('a %s of %s is named with its file and left out', async (name, value) => {
  const folder = folderOf({
    ...both,
    'eval-1/with_skill/timing.json': `{"${name}": ${value}, "cost_usd": 1.5}`,
    'eval-2/with_skill/timing.json': `{"${name}": ${value}}`,
    'eval-2/with_skill/grading.json': graded(2, 2, 'c'),
  })
  const end = await runMain(['aggregate', folder])
  expect(end.code, end.stderr).toBe(3)
  expect(end.stdout).toContain('left out: eval-1/with_skill/timing.json, eval-2/with_skill/timing.json')
  expect(end.stdout).toMatch(new RegExp(`eval-1/with_skill/timing.json: ${name}: \\S+ is too large to be used`))
})
