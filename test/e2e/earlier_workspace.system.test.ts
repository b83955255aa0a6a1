/** A workspace of an earlier version opens, resumes, gives every run from its cache and is judged again. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { unpackEarlierWorkspace } from './earlier_workspace.ts'

// since then the skill is in more folders for a program of the user's, so its runs with the skill start again
test('its interrupted benchmark resumes, the missing runs without the skill come from the cache; the next one reuses what fits', async () => {
  const { bench, listBenchmarks } = unpackEarlierWorkspace()
  const before = listBenchmarks()
  const resumed = await bench()
  expect(resumed.stderr).toContain('2 of 8 runs reused (2 without_skill')
  expect(resumed.code).toBe(0)
  expect(listBenchmarks()).toEqual(before)
  const second = await bench()
  expect(second.stderr).toContain('5 of 8 runs reused (4 without_skill, 1 with_skill')
  expect(listBenchmarks()).toHaveLength(before.length + 1)
  const third = await bench()
  expect(third.stderr).toContain('8 of 8 runs reused')
  expect(third.stderr).not.toContain('[1/8]')
})

test('a changed agent gets nothing from it', async () => {
  const { bench, folder } = unpackEarlierWorkspace()
  const agent = path.join(folder, 'agent.sh')
  writeFileSync(agent, `${readFileSync(agent, 'utf8')}\n# changed\n`)
  const changed = await bench()
  expect(changed.stderr).not.toContain('runs reused')
  expect(changed.stderr).toContain('[8/8]')
})

test('every run of its finished benchmark is judged again', async () => {
  const { run, read, listBenchmarks } = unpackEarlierWorkspace()
  const [finished = ''] = listBenchmarks()
  const passRate = () => JSON.parse(read(`${finished}/benchmark.json`)).run_summary.with_skill.pass_rate
  const before = passRate()
  const judge = ['--judge', 'command:./judge.sh', '--anew', '--sandbox', 'off']
  const { code, stderr } = await run(['grade', finished, ...judge])
  expect([code, stderr.match(/^graded /gm)?.length]).toEqual([0, 8])
  expect(passRate()).toEqual(before)
})
