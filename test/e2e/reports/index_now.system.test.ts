/** The index over many skills goes with its benchmarks: graded again, benched anew, mended and benched at last. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { benchmarkIndex, type IndexRow } from '../../../schemas/benchmark_index.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const evals = [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))
const named = (name: string) =>
  makeSkill(evals, { 'SKILL.md': `---\nname: ${name}\ndescription: d\n---\nSay TIDY.\n` }, name)
const [tidy, broken] = [named('tidy'), named('broken')]
const suite = (skill: string) => path.join(skill, 'evals/evals.json')
const command = ['--engine', tidyAgent, '--runs', '1', '--sandbox', 'off']
const root = fresh()
const rows = () => benchmarkIndex.parse(JSON.parse(readFileSync(path.join(root, 'index.json'), 'utf8'))).rows
const rowOf = (name: string) => rows().find(({ folder, skill }) => folder?.startsWith(`${name}/`) || skill === name)
const markdown = () => readFileSync(path.join(root, 'index.md'), 'utf8')

async function done(args: string[]) {
  const end = await runMain(args)
  expect(end.code, end.stderr).toBe(0)
}

beforeAll(async () => {
  writeFileSync(path.join(root, 'broken'), '') // in the way of its workspace
  await runMain(['bench', tidy, broken, ...command, '--workspace', root])
  rmSync(path.join(root, 'broken'))
})

const summary = (row: IndexRow | undefined) => [row?.status, row?.delta]

describe('in turn', () => {
  test('a benchmark that is graded again by other criteria changes its row', async () => {
    expect([summary(rowOf('tidy')), summary(rowOf('broken'))]).toEqual([
      ['done', 1],
      ['failed', null],
    ])
    const changed = evals.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'nowhere' }] }))
    writeFileSync(suite(tidy), JSON.stringify({ skill_name: 'tidy', evals: changed }))
    await done(['grade', path.join(root, rowOf('tidy')?.folder ?? '')])
    expect(summary(rowOf('tidy'))).toEqual(['done', 0])
    expect(markdown()).not.toContain('+100')
  })
  test('a newer benchmark of a skill takes its row when it is viewed', async () => {
    const before = rowOf('tidy')?.folder
    writeFileSync(suite(tidy), JSON.stringify({ skill_name: 'tidy', evals }))
    await done(['bench', tidy, ...command, '--workspace', path.join(root, 'tidy')])
    expect(readdirSync(path.join(root, 'tidy/benchmarks'))).toHaveLength(2)
    expect(rowOf('tidy')?.folder).toBe(before)
    await done(['view', root, '--no-open'])
    expect(rowOf('tidy')?.folder).not.toBe(before)
    expect(summary(rowOf('tidy'))).toEqual(['done', 1])
    expect(existsSync(path.join(root, rowOf('tidy')?.report ?? ''))).toBe(true)
  })
  test('one of cases that were picked takes no row from one of a whole suite', async () => {
    const row = rowOf('tidy')
    await done(['bench', tidy, ...command, '--workspace', path.join(root, 'tidy'), '--case', '1'])
    expect(readdirSync(path.join(root, 'tidy/benchmarks'))).toHaveLength(3)
    await done(['view', root, '--no-open'])
    expect(rowOf('tidy')).toEqual(row)
  })
  test('what failed and was benched since is told no more as failed', async () => {
    await done(['bench', broken, ...command, '--workspace', path.join(root, 'broken')])
    await done(['view', root, '--no-open'])
    expect(summary(rowOf('broken'))).toEqual(['done', 0])
    expect(markdown()).not.toContain('FAILED')
    expect(rows()).toHaveLength(2)
  })
  test('a benchmark that can no longer be read leaves its row', async () => {
    const row = rowOf('tidy')
    writeFileSync(path.join(root, row?.folder ?? '', 'benchmark.json'), '{')
    await done(['view', root, '--no-open'])
    expect(rowOf('tidy')).toEqual(row)
  })
})
