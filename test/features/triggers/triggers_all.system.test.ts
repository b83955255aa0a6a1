/** triggers --all on a practice model: who takes whose queries, the early stop, resume, and bad input before any call. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { fourSkills, measuredAll, wholeMatrix } from './all_stage.ts'
import { write } from './triggers_stage.ts'

const theft = { skill: 'invoices', taken_by: 'pdf-forms', reads: 6, runs: 10, named: true, query_ids: [6, 7, 8] }

describe('four skills, one of which takes three of five queries of another', () => {
  test('anthropic: the thief is named, the others are decided after one round', async () => {
    const ran = await measuredAll({ args: ['--concurrency', '4'] })
    expect(ran.end.code, ran.end.stderr).toBe(0)
    const made = wholeMatrix(ran)
    expect(made.pairs).toMatchObject([theft])
    expect(made.pairs_tested).toBe(12)
    const rows = made.skills.map(({ name, rounds, ended, recall, loses_to, takes_from }) => {
      return [name, rounds, ended, recall?.value, loses_to, takes_from]
    })
    expect(rows).toEqual([
      ['chess-coach', 1, 'decided', 1, [], []],
      ['invoices', 2, 'decided', 0.4, ['pdf-forms'], []],
      ['pdf-forms', 1, 'decided', 1, [], ['invoices']],
      ['release-notes', 1, 'decided', 1, [], []],
    ])
    expect(made.summary).toMatchObject({
      thefts: 1,
      runs_grid: 100,
      runs_planned: 25,
      runs_decided: 25,
      grid_share: 0.25,
    })
    expect(made.complete).toBe(true)
    // pdf-forms: 5 of 8 queries that read it are its own
    expect(made.skills[2]?.precision).toMatchObject({ value: 0.625, n: 8 })
  })

  test('--full-grid runs everything, also what should read no skill', async () => {
    const negatives = { 'release-notes': ['When is the next release?'] }
    const args = ['--full-grid', '--runs', '2', '--concurrency', '4']
    const made = wholeMatrix(await measuredAll({ negatives, args }))
    expect(made.summary).toMatchObject({ runs_planned: 42, runs_decided: 42, grid_share: 1 })
    expect(made.pairs).toMatchObject([theft])
    expect(made.skills.flatMap(({ name, false_trigger_rate: rate }) => (rate ? [[name, rate.value]] : []))).toEqual([
      ['release-notes', 1],
    ])
  })
})

describe('gates and texts', () => {
  test('the table names the thief and the victim, and a gate fails', async () => {
    const ran = await measuredAll({ json: false, args: ['--gate', 'thefts == 0', '--concurrency', '4'] })
    expect(ran.end.code).toBe(1)
    expect(ran.end.stdout).toMatch(/invoices +5 +10 +40% \(12–77%\) +100% \(\d+–100%\) +pdf-forms/)
    expect(ran.end.stdout).toMatch(/pdf-forms takes queries of invoices: read in 6 of 10 runs \(60%/)
    expect(ran.end.stdout).toContain('25 of 100 runs of the full grid (25%)')
    expect(ran.end.stdout).toMatch(/wrote (\S+)\/trigger_matrix\.json\npage {2}whetstone view \1\n/)
  })

  test('--dry-run starts nothing and says how many runs and dollars', async () => {
    const ran = await measuredAll({ json: false, args: ['--dry-run', '--cost-per-run', '0.02'] })
    expect(ran.end.code, ran.end.stderr).toBe(0)
    expect(ran.requests).toBe(0)
    expect(ran.end.stdout).toContain('20 distinct queries: 20 should read a skill')
    expect(ran.end.stdout).toMatch(/20 to 100 runs on anthropic:\S*sonnet\S*; cost \$0\.40 to \$2\.00 at/)
  })
})

describe('resume', () => {
  test('runs without an answer end with 3; the same command runs only those', async () => {
    const budget = ['--budget-tokens', '1', '--concurrency', '1']
    const first = await measuredAll({ args: budget })
    expect(first.end.code).toBe(3)
    const { workspace, folder } = first
    const half = wholeMatrix(first)
    expect(half.complete).toBe(false)
    expect(half.summary.runs_decided).toBeLessThan(20)
    const second = await measuredAll({ workspace, folder, args: ['--concurrency', '4'] })
    expect(second.end.code, second.end.stderr).toBe(0)
    expect(readdirSync(path.join(workspace, 'triggers'))).toHaveLength(1)
    expect(wholeMatrix(second).pairs).toMatchObject([theft])
    expect(wholeMatrix(second).summary).toMatchObject({ runs_planned: 25, runs_decided: 25 })
    const plan = JSON.parse(readFileSync(path.join(path.dirname(String(second.last.file)), 'plan.json'), 'utf8'))
    expect(plan.runs).toHaveLength(25)
  })
})

describe('bad input ends with 2 before any call', () => {
  const said = async (folder: string, args: readonly string[] = []) => {
    const { end, requests } = await measuredAll({ folder, args })
    expect(requests).toBe(0)
    expect(end.code).toBe(2)
    return end.stderr
  }

  test('two skills of one name', async () => {
    const folder = fourSkills()
    write(folder, 'copy/SKILL.md', '---\nname: invoices\ndescription: A copy.\n---\n\nDo it.\n')
    expect(await said(folder)).toMatch(/several skills have the same name: invoices in .*copy, invoices in .*invoices/)
  })

  test('skills without queries are all named', async () => {
    const text = await said(fourSkills({ without: ['invoices', 'pdf-forms'] }))
    expect(text).toContain('2 of 4 skills without trigger queries of their own: invoices, pdf-forms')
    expect(text).toContain('--generate')
  })

  test('a skill with negative queries alone', async () => {
    const folder = fourSkills({ without: ['invoices'] })
    write(folder, 'invoices/evals/trigger-eval.json', JSON.stringify([{ query: 'Hello', should_trigger: false }]))
    expect(await said(folder)).toMatch(/1 of 4 skills without .*: invoices \(.*no query should trigger it/)
  })

  test('one skill, a skill instead of a folder', async () => {
    const folder = path.join(path.dirname(fourSkills()), 'one')
    write(folder, 'a/SKILL.md', '---\nname: a\ndescription: A.\n---\n\nA.\n')
    expect(await said(folder)).toContain('only one skill in it, a; nothing competes with it')
    expect(await said(path.join(folder, 'a'))).toContain('one skill, not a folder of skills')
  })
})
