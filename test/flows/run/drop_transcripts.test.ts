/** bench and eval --no-transcripts: graded from the transcript, which is gone afterwards and in no cache; without the flag it stays. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { removed } from '../../../schemas/removed.ts'
import { runMain } from '../../cli/run_main.ts'
import { agent, fresh, makeSkill } from '../../e2e/program.ts'

const kept = ['transcript.jsonl', 'transcript.md', 'answer.txt']
const checks = [
  { type: 'contains', value: 'TIDY' },
  { type: 'file_exists', path: 'answer.txt' },
]

async function benchIn(flags: readonly string[]) {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill([{ id: 1, prompt: 'tidy up', checks }]), '--engine', agent('tidy.mjs')]
  const more = ['--workspace', workspace, '--runs', '1', '--sandbox=off', '--trust-suite', ...flags]
  const { code, stderr } = await runMain([...args, ...more])
  expect(code, stderr).toBe(0)
  const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
  const folder = path.join(workspace, 'benchmarks', name)
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
  return { workspace, folder, names, left: names.filter((one) => kept.includes(path.basename(one))) }
}

test('nothing of it is left in benchmark and cache, and the verdicts are those of a bench that keeps it', async () => {
  const [shared, key] = [path.join(fresh(), 'shared'), path.join(fresh(), 'key')]
  writeFileSync(key, 'k'.repeat(32))
  const sharing = ['--shared-cache', shared, '--cache-key-file', key]
  const { folder, names, left, workspace } = await benchIn(['--no-transcripts', ...sharing])
  expect([left, existsSync(shared)]).toEqual([[], false])
  expect(existsSync(path.join(workspace, '.cache'))).toBe(false)
  const marks = names.filter((one) => path.basename(one) === 'removed.json')
  const by = marks.map((one) => removed.parse(JSON.parse(readFileSync(path.join(workspace, one), 'utf8'))).by)
  expect(by).toEqual(['no_transcripts', 'no_transcripts'])
  const rates = (place: string) => {
    const made = benchmark.parse(JSON.parse(readFileSync(path.join(place, 'benchmark.json'), 'utf8')))
    return made.runs.map(({ configuration, result: { passed, total } }) => [configuration, passed, total])
  }
  const usual = await benchIn(sharing)
  expect(readdirSync(shared).length).toBeGreaterThan(0)
  expect(rates(folder)).toEqual(rates(usual.folder))
  expect(rates(folder)).toContainEqual(['with_skill', 2, 2])
  expect(usual.left.length).toBeGreaterThanOrEqual(6)
  expect(usual.names.some((one) => path.basename(one) === 'removed.json')).toBe(false)
})

test('what a killed eval left is removed when the same command continues; without the flag it stays', async () => {
  const workspace = path.join(fresh(), 'ws')
  const args = ['eval', makeSkill([{ id: 1, prompt: 'tidy up', checks }]), '--engine', agent('tidy.mjs')]
  const run = async (flags: readonly string[]) => {
    const { code, stderr } = await runMain([
      ...args,
      '--workspace',
      workspace,
      '--sandbox=off',
      '--trust-suite',
      ...flags,
    ])
    expect(code, stderr).toBe(0)
    const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' })
    for (const name of names) if (path.basename(name) === 'eval.json') rmSync(path.join(workspace, name)) // as a kill before it
    return names.filter((one) => kept.includes(path.basename(one))).length
  }
  expect([await run([]), await run([]), await run(['--no-transcripts'])]).toEqual([3, 3, 0])
})
