/** --shard i/n: each case in exactly one shard, the same at every start; put together, shards are the whole benchmark. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { benchmark } from '../../../../schemas/benchmark.ts'
import { fresh, makeSkill } from '../../../e2e/program.ts'
import { runMain, tidyAgent } from '../../run_main.ts'

const cases = [1, 2, 3].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))

const readBenchmark = (folder: string) =>
  benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))

async function bench(skill: string, cwd: string, ...flags: string[]) {
  const end = await runMain(['bench', skill, '--engine', tidyAgent, '--runs', '1', '--json', ...flags], { cwd })
  const line = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  const folder = line.folder === undefined ? null : path.resolve(cwd, line.folder)
  return { ...end, line, folder: folder ?? '' }
}

async function shardsOf(evals: object[], of: number) {
  const [skill, cwd] = [makeSkill(evals), fresh()]
  const folders: string[] = []
  for (let index = 1; index <= of; index += 1) {
    const { code, stderr, folder } = await bench(skill, cwd, '--shard', `${index}/${of}`, '--workspace', `w${index}`)
    expect(code, stderr).toBe(0)
    folders.push(folder)
  }
  return { skill, cwd, folders }
}

const chosen = (folders: string[]) => folders.map((folder) => readBenchmark(folder).chosen?.eval_ids)

let halves: Awaited<ReturnType<typeof shardsOf>>
beforeAll(async () => {
  halves = await shardsOf(cases, 2)
})

describe('bench --shard', () => {
  test('each case is in one shard; together they are the whole benchmark, which a gate can judge', async () => {
    const { skill, cwd, folders } = halves
    expect(chosen(folders)).toEqual([[1, 3], [2]])
    const whole = await bench(skill, cwd, '--workspace', 'whole', '--fresh')
    const args = ['aggregate', ...folders, '--output', 'merged']
    const end = await runMain([...args, '--gate', 'pass_rate == 1'], { cwd })
    expect(end.code, end.stderr).toBe(0)
    const [merged, alone] = [readBenchmark(path.join(cwd, 'merged')), readBenchmark(whole.folder)]
    expect(merged.chosen).toBeUndefined()
    expect(merged.complete).toBe(true)
    expect(merged.counts).toEqual(alone.counts)
    expect(merged.statistics?.scopes).toEqual(alone.statistics?.scopes)
    expect(existsSync(path.join(cwd, 'merged/report.html'))).toBe(true)
    const failed = await runMain(['aggregate', ...folders, '-o', 'other', '--gate', 'pass_rate < 1'], { cwd })
    expect(failed.code).toBe(1)
  })
  test('some shards only: the result says which cases', async () => {
    const { cwd, folders } = await shardsOf(cases, 3)
    const end = await runMain(['aggregate', ...folders.slice(0, 2), '--output', 'merged'], { cwd })
    expect([end.code, readBenchmark(path.join(cwd, 'merged')).chosen]).toEqual([0, { eval_ids: [1, 2], of: 3 }])
  })
  test('with more shards than cases that count, a quarantined case is still in one', async () => {
    const [first, second, third] = cases
    const skill = makeSkill([first ?? {}, { ...second, quarantine: true }, third ?? {}])
    const cwd = fresh()
    const one = await bench(skill, cwd, '--shard', '1/4', '--workspace', 'w1')
    const two = await bench(skill, cwd, '--shard', '2/4', '--workspace', 'w2')
    expect(chosen([one.folder, two.folder])).toEqual([[1, 2], [3]])
  })
  test('a shard without a case ends with 0 and runs nothing', async () => {
    const cwd = fresh()
    const { code, line } = await bench(makeSkill(cases), cwd, '--shard', '4/4')
    expect([code, line.message]).toEqual([0, expect.stringContaining('has only 3 cases that count')])
    expect(existsSync(path.join(cwd, 'workspaces'))).toBe(false)
  })
  test.each(['0/2', '3/2', '1', 'a/b'])('--shard %s is refused', async (value) => {
    const end = await runMain(['bench', makeSkill(cases), `--shard=${value}`])
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('--shard')])
  })
})

describe('aggregate refuses', () => {
  test('the same shard twice, an output that has files, and no output', async () => {
    const { cwd, folders } = halves
    const [first = '', second = ''] = folders
    const refuse = async (args: string[]) => (await runMain(['aggregate', ...args], { cwd })).stderr
    expect(await refuse([first, first, '-o', 'm'])).toContain('case 1 is also in')
    expect(await refuse([first])).toBe('')
    expect(await refuse([first, second])).toContain('several folders without --output')
    expect(await refuse([first, second, '-o', 'w1'])).toContain('not empty')
    expect(existsSync(path.join(cwd, 'm'))).toBe(false)
  })
  test('shards of another version of the skill', async () => {
    const { skill, cwd, folders } = halves
    writeFileSync(path.join(skill, 'more.md'), 'x')
    const other = await bench(skill, cwd, '--shard', '2/2', '--workspace', 'w3')
    const end = await runMain(['aggregate', folders[0] ?? '', other.folder, '-o', 'm'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('another skill')])
  })
})

test('eval --shard', async () => {
  const skill = makeSkill(cases)
  const count = async (shard: string) => {
    const end = await runMain(['eval', skill, '--engine', tidyAgent, '--json', '--shard', shard])
    const { suites } = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    return suites.flatMap((one: { cases: { eval_id: number }[] }) => one.cases.map(({ eval_id }) => eval_id))
  }
  expect([await count('1/2'), await count('2/2'), await count('4/4')]).toEqual([[1, 3], [2], []])
})
