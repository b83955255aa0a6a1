/** The monthly view of an agent's costs, from its log and the lines of its evals. */
import { expect, test } from 'vitest'
import { readEvalDiff } from '../../../src/cli/main.ts'
import { readAgentCosts } from '../../../src/features/golden/costs.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const lines = (...all: object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('')
const evaluated = { trigger: 'eval', agent_model: 'a', judge_model: 'j', agent_cost_usd: 0.5, judge_cost_usd: 0.25 }
const agent = () =>
  folderOf({
    'log/2026-05/2026-05-01.jsonl': lines(
      { trigger: 'cron', cost_usd: 4 },
      { trigger: 'skill', cost_usd: 0.85 },
      { trigger: 'helper', cost_usd: 0.31 },
      { trigger: 'eval', cost_usd: 1 },
      { cost_usd: null },
    ),
    'log/2026-03/2026-03-01.jsonl': lines({ trigger: 'cron', cost_usd: 0.004 }),
    'log/2026-04/2026-04-30.jsonl': lines({ trigger: 'cron', cost_usd: 2 }),
    'log/notes/2026-05-01.jsonl': lines({ cost_usd: 99 }),
    'evals/runs/2026-05-06.jsonl': lines(evaluated, { ...evaluated, trigger: undefined }),
    'evals/runs/audit_log.jsonl': lines(evaluated),
  })

test('operational runs, helpers and evals by month, with what is not known', async () => {
  const { code, stdout } = await runMain(['costs', agent()])
  expect(code).toBe(0)
  expect(stdout).toMatch(/2026-03 +\$0\.0040 +\$0\.00 +\$0\.00 +\$0\.0040\s/)
  expect(stdout).toMatch(/2026-04 +\$2\.00 +\$0\.00 +\$0\.00 +\$2\.00\s/)
  expect(stdout).toMatch(/2026-05 +\$4\.85 +\$0\.31 +\$1\.75 +\$6\.91 +1 of unknown cost/)
  const json = JSON.parse((await runMain(['costs', agent(), '--json'])).stdout)
  expect(json[0].months[2]).toMatchObject({ month: '2026-05', evals: { usd: 1.75, unknown: 0 } })
})
test('days of a month by their number alone, and what is not understood by its name', async () => {
  const log = { 'log/2026-05/03.jsonl': lines({ cost_usd: 2 }), 'log/05/04.jsonl': lines({ cost_usd: 1 }) }
  const cut = `${lines({ cost_usd: 1 })}{"cost_usd":`
  const folder = folderOf({ ...log, 'log/2026-05/04.jsonl': cut, 'log/2026-05/x.csv': '1', 'log/.keep': '' })
  const { stdout } = await runMain(['costs', folder])
  expect(stdout).toMatch(/2026-05 +\$3\.00 /)
  const names = stdout.match(/(?<=^not understood.*: ).*/gm)
  expect(names?.sort()).toEqual(['log/05/04.jsonl', 'log/2026-05/04.jsonl', 'log/2026-05/x.csv'])
  expect(readAgentCosts(folder, new Date('2026-05-03T12:00:00')).day.usd).toBe(2)
  const end = await runMain(['costs', folderOf({ 'log/may.jsonl': lines({ cost_usd: 2 }) })])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('not understood: log/may.jsonl')])
})
test('a folder without any cost is a mistake', async () => {
  const end = await runMain(['costs', folderOf({ 'a.txt': '' })])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('no line with a cost')])
})
test.each([
  [
    ['eval', 'diff', 'a.json', 'b.json'],
    ['diff', 'a.json', 'b.json'],
  ],
  [
    ['eval', 'p', 'diff'],
    ['eval', 'p', 'diff'],
  ],
  [
    ['diff', 'a', 'b'],
    ['diff', 'a', 'b'],
  ],
])('%j is %j', (given, expected) => expect(readEvalDiff(given)).toEqual(expected))
