/** model.md's cost_guardrails over an eval: what the agent has spent counts, a reached cap stops tests or is told, nothing else changes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { globSync } from 'tinyglobby'
import { describe, expect, test } from 'vitest'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { CapAction } from '../../../schemas/golden.ts'
import { describeCapUsage } from '../../../src/features/golden/cost_caps.ts'
import { readAgentCosts } from '../../../src/features/golden/costs.ts'
import { noLimits } from '../../../src/flows/limits/limits.ts'
import { runMain } from '../../cli/run_main.ts'
import { contextAt, evaluated, planned } from '../../flows/eval/evaluate.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const golden = (id: string) => `---\ntest_id: ${id}\ncategory: happy\n---\n## Input\nRent?\n`
const model = (block: string) => `# Model\n\n## Cost guardrails\n\n\`\`\`yaml\ncost_guardrails:\n${block}\n\`\`\`\n`
const files = {
  'ledger/persona/IDENTITY.md': 'You are Ledger.',
  'ledger/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
  'ledger/evals/judge.md': '---\naudit_sample_pct: 0\n---\n{agent_response}\n',
  'ledger/evals/golden/happy/001.md': golden('001_a'),
  'ledger/evals/golden/happy/002.md': golden('002_b'),
  'answer.json': '{"care": {"score": 5}}',
}
/** Local noon of a day, so that every time zone calls it that day. */
const noon = (day: number) => () => new Date(2026, 4, day, 12)
const spent = (usd: number) => `${JSON.stringify({ trigger: 'cron', model: 'm', cost_usd: usd, status: 'ok' })}\n`

/** An eval of both tests where each run and each grading counts a dollar. */
async function ran(block: string, more: Record<string, string> = {}, budget: number | null = null) {
  const folder = folderOf({ ...files, 'ledger/model.md': model(block), ...more })
  const limits = { ...noLimits, budget, costPerRun: 1 }
  const judge = `command:cat ${folder}/answer.json`
  const start = async (day = 6) => await evaluated(path.join(folder, 'ledger'), { judge, limits }, contextAt(noon(day)))
  return { folder, start, result: await start() }
}

const verdicts = ({ cases }: EvalResult) => cases.map(({ verdict }) => verdict)
const day6 = 'ledger/log/2026-05/2026-05-06.jsonl'
const day5 = 'ledger/log/2026-05/2026-05-05.jsonl'

describe('a cap', () => {
  test.each<[string, string, Record<string, string>, string[]]>([
    ['is not enabled', '  enabled: false\n  daily_cap_usd: 5', { [day6]: spent(9) }, ['pass', 'pass']],
    ['of the day is reached before', '  enabled: true\n  daily_cap_usd: 5', { [day6]: spent(5) }, ['skip', 'skip']],
    ['leaves room for one test', '  enabled: true\n  daily_cap_usd: 5', { [day6]: spent(3) }, ['pass', 'skip']],
    ['of the day was spent on another', '  enabled: true\n  daily_cap_usd: 5', { [day5]: spent(9) }, ['pass', 'pass']],
    [
      'of the month skips',
      '  enabled: true\n  monthly_cap_usd: 5\n  monthly_cap_action: skip',
      { [day5]: spent(9) },
      ['skip', 'skip'],
    ],
    [
      'of the month only alerts by itself',
      '  enabled: true\n  monthly_cap_usd: 5',
      { [day5]: spent(9) },
      ['pass', 'pass'],
    ],
    [
      'would fall back',
      '  enabled: true\n  daily_cap_usd: 5\n  daily_cap_action: fallback',
      { [day6]: spent(9) },
      ['skip', 'skip'],
    ],
  ])('%s', async (_, block, more, wanted) => {
    expect(verdicts((await ran(block, more)).result)).toEqual(wanted)
  })
  test('stops with its own name, partial, and the next day goes on with what is open: what it took before is not counted twice', async () => {
    const more = { [day6]: spent(3), 'ledger/log/2026-05/2026-05-07.jsonl': spent(3) }
    const { result, start } = await ran('  enabled: true\n  daily_cap_usd: 5', more)
    expect(result.golden?.stopped).toBe(
      'stopped by the daily cap of $5.00 in model.md ($3.00 of it spent before): 1 of 2 runs; $2.00 of $2.00 spent',
    )
    expect(verdicts(await start(7))).toEqual(['pass', 'pass'])
  })
  test('a smaller --budget is the one that stops', async () => {
    const { result } = await ran('  enabled: true\n  daily_cap_usd: 50', {}, 2)
    expect(result.golden?.stopped).toMatch(/^stopped by the budget: 1 of 2 runs/)
  })
  test('is refused where what a run costs is not known and nothing says what to count', async () => {
    const folder = folderOf({ ...files, 'ledger/model.md': model('  enabled: true\n  daily_cap_usd: 5') })
    await expect(evaluated(path.join(folder, 'ledger'))).rejects.toThrow(
      'the daily cap of $5.00 in model.md: the cost of command is unknown',
    )
    expect((await planned(folder)).plans[0]?.choices).toContain('costs: the daily cap of $5.00 in model.md (skip)')
  })
  test('a workspace in the vault is no part of what agents see; deep in it, it is refused', async () => {
    const folder = path.join(folderOf({ ...files, 'ledger/ws/old.txt': 'x', 'ledger/memory/a.md': 'x' }), 'ledger')
    const seen = async (workspace: string) =>
      (await planned(folder, { workspace })).plans[0]?.plan.cases[0]?.files.map((file) => file.path)
    expect(await seen(path.join(folder, 'ws'))).toEqual(['memory', 'persona'])
    expect(await seen(path.join(folder, 'workspaces/ledger'))).toEqual(['memory', 'persona', 'ws'])
    await expect(seen(path.join(folder, 'memory/ws'))).rejects.toThrow('which agents can read')
  })
})

describe('what is told at the end', () => {
  const daily = { period: 'day', usd: 5, action: 'skip' } as const
  const told = (usd: number, action: CapAction, warn_at = [0.5, 0.8], text = spent(usd)) => {
    const root = path.join(folderOf({ [day6]: text }), 'ledger')
    return describeCapUsage({ root, guardrails: { caps: [{ ...daily, action }], warn_at } }, noon(6)())
  }
  test.each<[number, CapAction, number[], string[]]>([
    [2.4, 'skip', [0.5, 0.8], []],
    [2.5, 'skip', [0.5, 0.8], ['model.md: $2.50 of the daily cap of $5.00 is spent (50%)']],
    [2.5, 'skip', [0.8], []],
    [5, 'skip', [], ['model.md: $5.00 of the daily cap of $5.00 is spent (100%)']],
    [
      9,
      'alert',
      [],
      ['model.md: $9.00 of the daily cap of $5.00 is spent (180%); its action is alert, so tests continue'],
    ],
  ])('$%d, %s, warned of at %j', (usd, action, warn, lines) => expect(told(usd, action, warn)).toEqual(lines))
  test('what is not known is told too', () => {
    expect(told(0, 'skip', [], '{"trigger":"cron"}\n')).toEqual([
      'model.md: $0.00 of the daily cap of $5.00 is spent (0%); the cost of 1 more lines of its logs is unknown',
    ])
  })
})

describe('what an agent has cost', () => {
  const line = (usd: number | null, more = {}) =>
    `${JSON.stringify({ trigger: 'eval', agent_model: 'm', judge_model: 'j', agent_cost_usd: usd, judge_cost_usd: 1, ...more })}\n`
  const costs = (texts: Record<string, string>) => readAgentCosts(folderOf(texts), noon(6)())
  test('is its log and our lines, by the day and by the month', () => {
    expect(
      costs({
        'log/2026-05/2026-05-06.jsonl': `${spent(1)}not json\n${spent(0.5)}`,
        'log/2026-05/2026-05-01.jsonl': spent(10),
        'log/2026-04/2026-04-30.jsonl': spent(100),
        'evals/runs/2026-05-06.jsonl': line(2),
        'evals/runs/2026-05-02.jsonl': line(20),
        'evals/runs/audit_log.jsonl': line(1000),
      }),
    ).toEqual({ day: { usd: 4.5, unknown: 0 }, month: { usd: 35.5, unknown: 0 } })
  })
  test('what is not known is counted as that; what was not asked costs nothing', () => {
    const texts = { 'evals/runs/2026-05-06.jsonl': line(null) + line(null, { agent_model: '(not invoked)' }) }
    expect(costs(texts).day).toEqual({ usd: 2, unknown: 1 })
  })
  test("the reference's own lines are left out: its log has them", () => {
    expect(costs({ 'evals/runs/2026-05-06.jsonl': line(2, { trigger: undefined }) }).day.usd).toBe(0)
  })
})

test('a dry run estimates the cost from earlier evals, and says where there is none', async () => {
  const folder = folderOf(files)
  const [agent, workspace] = [path.join(folder, 'ledger'), path.join(folder, 'w')]
  const wish = { engine: 'command:echo yes', judge: `command:cat ${folder}/answer.json` }
  const flags = ['--engine', wish.engine, '--judge', wish.judge, '--workspace', workspace, '--sandbox', 'off']
  const dry = async () => (await runMain(['eval', agent, ...flags, '--dry-run'])).stdout
  expect(await dry()).toContain('estimate  unknown: this engine reports no cost, and there is no earlier run here')
  await evaluated(agent, { ...wish, workspace })
  for (const name of globSync('**/{run,grading}.json', { cwd: workspace })) {
    const file = path.join(workspace, name)
    const { cost, judge, ...record } = JSON.parse(readFileSync(file, 'utf8'))
    const paid = name.endsWith('run.json')
      ? { cost: { usd: 0.5, source: 'agent' } }
      : { judge: { ...judge, cost_usd: 0.25 } }
    writeFileSync(file, JSON.stringify({ ...record, ...paid }))
  }
  expect(await dry()).toMatch(/estimate {2}\$1\.50, .*\(from 2 earlier runs\)/)
})

test('the sample for audits is a tenth over time, not one of every run', async () => {
  const folder = folderOf({ ...files, 'ledger/evals/judge.md': '---\naudit_sample_pct: 10\n---\n{agent_response}\n' })
  const judge = `command:cat ${folder}/answer.json`
  const log = path.join(folder, 'ledger/evals/runs/audit_log.jsonl')
  const counts: number[] = []
  for (let day = 1; day <= 10; day += 1) {
    await evaluated(path.join(folder, 'ledger'), { judge, cache: false, fresh: true }, contextAt(noon(day)))
    counts.push(existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0)
  }
  expect(counts).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 2])
})

test('an eval changes nothing of the agent but adds evals/runs/', async () => {
  const folder = folderOf(files)
  await evaluated(path.join(folder, 'ledger'), {
    judge: `command:cat ${folder}/answer.json`,
    workspace: `${folder}/ws`,
  })
  const after = globSync('**/*.{md,json}', { cwd: folder, ignore: 'ws/**' })
  const texts = after.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')])
  expect(Object.fromEntries(texts)).toEqual(files)
  expect(globSync('ledger/evals/runs/**', { cwd: folder })).toHaveLength(3)
})
