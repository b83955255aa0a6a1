/** rank --from: every pair of a table of foreign results is what `aggregate --from` gives for the two. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type Rank, rank as rankSchema } from '../../../schemas/rank.ts'
import { createSeededRandom } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { runMain } from '../../cli/run_main.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'rank-'))
const file = path.join(folder, 'trials.csv')
const rates = [0.85, 0.6, 0.55, 0.1]

/** Agents × tasks × trials, with unequal numbers of trials and some without a verdict. */
function writeTrials(): void {
  const random = createSeededRandom(11)
  const lines = ['agent,task,trial,resolved']
  for (const [at, rate] of rates.entries())
    for (let task = 1; task <= 12; task += 1) {
      const ease = 0.3 * random() - 0.15
      for (let trial = 1; trial <= (at === 2 && task < 4 ? 3 : 5); trial += 1) {
        const passed = random() < rate + ease ? 1 : 0
        lines.push(`agent-${at + 1},task-${task},${trial},${at === 3 && task === 1 && trial === 1 ? '' : passed}`)
      }
    }
  writeFileSync(file, `${lines.join('\n')}\n`)
}

let rank: Rank
beforeAll(async () => {
  writeTrials()
  const target = path.join(folder, 'rank')
  const end = await runMain(['rank', file, '--from', 'csv', '--output', target])
  expect(end, end.stderr).toMatchObject({ code: 0 })
  rank = rankSchema.parse(JSON.parse(readFileSync(path.join(target, 'rank.json'), 'utf8')))
})

describe('rank --from csv', () => {
  test('all pairs, each as aggregate has it', async () => {
    expect(rank.pairs).toHaveLength(6)
    for (const { a, b, difference, p_value } of rank.pairs) {
      const target = path.join(folder, `${a}-${b}`)
      const flags = ['--candidate', a, '--baseline', b, '--output', target, '--no-page']
      await runMain(['aggregate', file, '--from', 'csv', ...flags])
      const made = benchmarkSchema.parse(JSON.parse(readFileSync(path.join(target, 'benchmark.json'), 'utf8')))
      const scope = made.statistics?.scopes?.these_cases.difference
      expect([difference, p_value], `${a} ${b}`).toEqual([scope?.mean, scope?.p_value])
    }
  })
  test('view opens its page, from its folder or its workspace; control: a folder without one', async () => {
    const workspace = path.join(folder, 'workspace')
    const kept = path.join(workspace, 'ranks/2026-01-15T10-30-00Z')
    cpSync(path.join(folder, 'rank'), kept, { recursive: true })
    for (const place of [path.join(folder, 'rank'), kept, workspace]) {
      const { stdout } = await runMain(['view', place, '--no-open', '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ page: expect.stringMatching(/rank\.html$/) })
    }
    rmSync(path.join(kept, 'rank.json'))
    expect(await runMain(['view', workspace, '--no-open'])).toMatchObject({ code: 2 })
  })
  test('no winner where more than 5% of the trials of one have no verdict', async () => {
    const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n')
    const open = lines.map((line) => (/^agent-4,task-[2-4],1,/.test(line) ? line.replace(/,\d$/, ',') : line))
    writeFileSync(path.join(folder, 'open.csv'), `${[head, ...open].join('\n')}\n`)
    const target = path.join(folder, 'open')
    const end = await runMain(['rank', path.join(folder, 'open.csv'), '--from', 'csv', '--output', target])
    expect([end.code, end.stdout]).toEqual([
      3,
      expect.stringContaining('Incomplete: 4 of 60 runs of agent-4 have no grade, so there is no winner.'),
    ])
    const found = rankSchema.parse(JSON.parse(readFileSync(path.join(target, 'rank.json'), 'utf8')))
    expect([found.complete, found.winner]).toEqual([false, null])
    expect(rank.winner).toBe('agent-1') // control: 1 of 60
  })
  test('a winner, and rank intervals and groups of the rest', () => {
    const found = rank.contenders.map(({ name, rank_best, rank_worst, groups }) => [
      name,
      rank_best,
      rank_worst,
      groups,
    ])
    expect(found).toEqual([
      ['agent-1', 1, 1, 'a'],
      [expect.stringMatching(/agent-[23]/), 2, 3, 'b'],
      [expect.stringMatching(/agent-[23]/), 2, 3, 'b'],
      ['agent-4', 4, 4, 'c'],
    ])
    expect(rank).toMatchObject({ status: 'winner', winner: 'agent-1', of: 'results', complete: true })
  })
  test('a run without a verdict is left out, not failed', () => {
    expect(rank.contenders.at(-1)).toMatchObject({ runs: 59, left_out: 1 })
    expect(rank.warnings).toEqual(['1 of 234 runs have no verdict and are left out'])
  })
  test.each([
    ['one configuration', ['agent,task,resolved', 'a,t,1'], 'one configuration (a)'],
    ['no score', ['agent,task', 'a,t'], 'no column for the score'],
  ])('%s is refused, and nothing is written', async (_, lines, why) => {
    const bad = path.join(folder, 'bad.csv')
    writeFileSync(bad, lines.join('\n'))
    const end = await runMain(['rank', bad, '--from', 'csv', '--output', path.join(folder, 'none')])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
  })
})
