/** A workspace of an earlier version opens and is judged again; its results have no signature, so they enter no new benchmark. */
import { expect, test } from 'vitest'
import { unpackEarlierWorkspace } from './earlier_workspace.ts'

test('its interrupted benchmark is not resumed, which one line says, and its cache is not used; the next one is reused', async () => {
  const { bench, listBenchmarks } = unpackEarlierWorkspace()
  const before = listBenchmarks()
  const first = await bench()
  expect(first.code).toBe(0)
  expect(first.stderr).toContain('an unfinished benchmark without your signature: not used')
  expect(first.stderr).not.toContain('runs reused')
  expect(first.stderr).toContain('[8/8]')
  expect(listBenchmarks()).toHaveLength(before.length + 1)
  const second = await bench()
  expect(second.stderr).toContain('8 of 8 runs reused')
  expect(second.stderr).not.toContain('[1/8]')
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
