/** Limits beyond a plain budget: costs that are not known, tokens, judges, many skills, a deadline, what a person is asked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { runRecord } from '../../../schemas/run.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { agent, fresh, makeSkill, type ProgramOptions, whetstone } from '../program.ts'

const checks = [{ type: 'contains', value: 'TIDY' }]
const evals = [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks }))
const says = "rules: [{ name: says, text: 'TIDY, and so on, and so on' }]"
const haiku = ['--engine', 'anthropic:claude-haiku-4-5']

function stateOf(workspace: string) {
  const folder = path.join(workspace, 'benchmarks')
  const newest = path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
  const read = (name: string) => JSON.parse(readFileSync(path.join(newest, name), 'utf8'))
  const names = readdirSync(newest, { recursive: true, encoding: 'utf8' })
  const records = names.filter((name) => name.endsWith('run.json')).map((name) => runRecord.parse(read(name)))
  const gradings = names.filter((name) => name.endsWith('grading.json')).map(read)
  return { newest, records, gradings, result: benchmark.parse(read('benchmark.json')), read }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const costs = (records: ReturnType<typeof stateOf>['records']) => sum(records.map(({ cost }) => cost?.usd ?? 0))

async function served<R>(scenario: string, work: (env: Record<string, string>) => Promise<R>): Promise<R> {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const openai = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'practice' }
  return await work({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice', ...openai })
}

describe('an engine that does not say what it costs', () => {
  const args = (workspace: string) => {
    return ['bench', makeSkill(evals), '--engine', agent('tidy.mjs'), '--workspace', workspace, '--budget', '6']
  }
  test('is refused with a budget before anything is started', async () => {
    const workspace = path.join(fresh(), 'ws')
    const end = await runMain(args(workspace))
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--budget: the cost of command is unknown[\s\S]*--cost-per-run/),
    })
    expect(existsSync(workspace)).toBe(false)
  })
  test('so it is with a budget of tokens, as engine and as judge', async () => {
    const end = await runMain([...args(fresh()).slice(0, -2), '--budget-tokens', '100'])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('command does not report tokens') })
    const skill = makeSkill([{ id: 1, prompt: 'x', expectations: ['it is tidy'] }])
    const judged = ['bench', skill, ...haiku, '--judge', agent('tidy.mjs'), '--budget', '1', '--workspace', fresh()]
    const refused = await served(says, (env) => runMain(judged, { env }))
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('the cost of command is unknown') })
  })
  test('counts what --cost-per-run says', async () => {
    const workspace = path.join(fresh(), 'ws')
    const end = await runMain([...args(workspace), '--cost-per-run', '1.4', '--runs', '3'])
    expect(end).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('stopped by the budget: 4 of 12 runs; $5.60 of $6.00 spent'),
    })
    expect(stateOf(workspace).records).toHaveLength(4)
  })
})

describe('a cost that is missing in the middle (a model without a known price)', () => {
  const fake = path.join(import.meta.dirname, '../../fixtures/agents/fake_claude.mjs')
  const mixed = ['well', 'unpriced_stranger'].map((prompt, at) => ({ id: at + 1, prompt, checks }))
  const bench = async (flags: readonly string[]) => {
    const workspace = path.join(fresh(), 'ws')
    const given = ['--engine', 'claude-code', '--concurrency', '1', '--budget', '5', '--runs', '2']
    const env = { WHETSTONE_CLAUDE: fake, CLAUDE_CODE_OAUTH_TOKEN: 'x' }
    const end = await runMain(['bench', makeSkill(mixed), ...given, '--workspace', workspace, ...flags], { env })
    return { ...end, ...stateOf(workspace) }
  }
  test('ends it: no further run is started, exit 3', async () => {
    const end = await bench([])
    expect(end.code, end.stderr).toBe(3)
    expect(end.records.map(({ status }) => status).sort()).toEqual(['completed', 'completed', 'completed'])
    expect(end.result.metadata.stopped).toMatchObject({
      kind: 'unreported_cost',
      reason: expect.stringMatching(/eval-2.*was not reported: 3 of 8 runs; give --cost-per-run/),
    })
  })
  test('control: with --cost-per-run it goes on', async () => {
    const end = await bench(['--cost-per-run', '0.01'])
    expect([end.code, end.records.length]).toEqual([0, 8])
  })
})

test('what a run took before it timed out is counted, and the benchmark goes on', async () => {
  const hangs = `rules:
    - { name: hangs, when: { user: 'task 2', turn: { min: 2 } }, fault: { hang: true }, text: x }
    - { name: begins, when: { user: 'task 2' }, tool_calls: [{ name: Glob, input: { pattern: '*' } }] }
    - { name: says, text: TIDY }`
  await served(hangs, async (env) => {
    const workspace = path.join(fresh(), 'ws')
    const args = ['bench', makeSkill(evals), ...haiku, '--runs', '1', '--timeout', '2', '--budget', '5']
    const end = await runMain([...args, '--concurrency', '1', '--workspace', workspace], { env })
    const { records, newest } = stateOf(workspace)
    expect([end.code, records.length], end.stderr).toEqual([0, 4])
    const late = records.filter(({ status }) => status === 'timed_out')
    expect(late).toHaveLength(2)
    for (const { cost, usage } of late) {
      expect(cost).toMatchObject({ usd: expect.any(Number), source: 'estimated' })
      expect(usage).toMatchObject({ input_tokens: expect.any(Number) })
    }
    const spent = readFileSync(path.join(newest, 'spent.jsonl'), 'utf8').trim().split('\n')
    const paid = spent.map((line) => JSON.parse(line)).filter(({ part }) => part === 'run')
    expect(paid.map(({ usd }) => usd).sort()).toEqual(records.map(({ cost }) => cost?.usd).sort())
  })
})

test('--budget-tokens ends it likewise', async () => {
  await served(says, async (env) => {
    const workspace = path.join(fresh(), 'ws')
    const args = ['bench', makeSkill(evals), ...haiku, '--runs', '4', '--workspace', workspace]
    const end = await runMain([...args, '--concurrency', '2', '--budget-tokens', '6000'], { env })
    const { records, result } = stateOf(workspace)
    const tokens = sum(records.flatMap(({ usage }) => Object.values(usage ?? {}).map(Number)))
    expect(end.code, end.stderr).toBe(3)
    expect(result.metadata.stopped).toMatchObject({ kind: 'budget_tokens', limit: 6000, spent: tokens })
    expect(tokens).toBeLessThanOrEqual(6000 + (2 * tokens) / records.length)
  })
})

const judges = (() => {
  const verdicts = '[{ n: 1, passed: true, evidence: TIDY }]'
  const input = `{ verdicts: ${verdicts}, claims: [], user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] }, eval_feedback: null }`
  const judge = `{ name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: ${input} }] }`
  return `rules: [${judge}, { name: says, text: TIDY }]`
})()

describe('an engine that is silent, and a judge that says what it costs', () => {
  const args = (workspace: string, budget: string) => {
    const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['it is tidy'] }])
    const asked = ['--engine', agent('tidy.mjs'), '--judge', 'anthropic:claude-haiku-4-5', '--cost-per-run', '0.3']
    return ['bench', skill, ...asked, '--runs', '1', '--budget', budget, '--workspace', workspace]
  }
  test('only runs are set aside at --cost-per-run', async () => {
    const workspace = path.join(fresh(), 'ws')
    const end = await served(judges, (env) => runMain(args(workspace, '1.1'), { env }))
    expect([end.code, stateOf(workspace).records.length], end.stdout + end.stderr).toEqual([0, 2])
  })
  test('where no run fits, the end says what one needs', async () => {
    const end = await served(judges, (env) => runMain(args(path.join(fresh(), 'ws'), '0.2'), { env }))
    const said = '0 of 2 runs; $0.00 of $0.20 spent; the next run needs $0.30: give --budget 0.3 or more'
    expect(end).toMatchObject({ code: 3, stdout: expect.stringContaining(said) })
  })
})

test('what judges cost comes out of the same purse', async () => {
  await served(judges, async (env) => {
    const judged = makeSkill([1, 2].map((id) => ({ id, prompt: `task ${id}`, expectations: ['it is tidy'] })))
    const workspace = path.join(fresh(), 'ws')
    const args = [
      'bench',
      judged,
      ...haiku,
      '--judge',
      'anthropic:claude-haiku-4-5',
      '--runs',
      '4',
      '--workspace',
      workspace,
    ]
    expect((await runMain([...args, '--no-cache'], { env })).code).toBe(0)
    const all = stateOf(workspace)
    const graded = (state: typeof all) => sum(state.gradings.map(({ judge }) => judge.cost_usd))
    const total = costs(all.records) + graded(all)
    expect(graded(all)).toBeGreaterThan(0.3 * total)
    const half = await runMain([...args, '--no-cache', '--fresh', '--budget', String(total / 2)], { env })
    const made = stateOf(workspace)
    expect(half.code, half.stderr).toBe(3)
    expect(costs(made.records) + graded(made)).toBeLessThanOrEqual(total / 2 + (4 * total) / 16)
    expect(made.records.length).toBeLessThan(12)
    expect(made.gradings).toHaveLength(made.records.length)
  })
})

test('many skills share one budget; what was not started is in the index', async () => {
  await served(says, async (env) => {
    const named = (name: string) => makeSkill(evals, { 'SKILL.md': `---\nname: ${name}\ndescription: d\n---\nx\n` })
    const [one, two, three, root] = [named('one'), named('two'), named('three'), fresh()]
    await runMain(['bench', one, ...haiku, '--runs', '2', '--workspace', path.join(root, 'before')], { env })
    const each = costs(stateOf(path.join(root, 'before')).records)
    const args = ['bench', one, two, three, ...haiku, '--runs', '2', '--workspace', path.join(root, 'all')]
    const end = await runMain([...args, '--budget', String(1.5 * each), '--json'], { env })
    expect(end.code, end.stderr).toBe(3)
    const index = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    const rows = index.rows.map((row: { skill: string; status: string }) => `${row.skill} ${row.status}`)
    expect(rows.sort()).toEqual(['one done', 'three failed', 'two incomplete'])
    const spent = ['one', 'two'].map((name) => costs(stateOf(path.join(root, 'all', name)).records))
    expect(sum(spent)).toBeLessThanOrEqual(1.5 * each + each / 2)
    expect(existsSync(path.join(root, 'all/three'))).toBe(false)
  })
})

test('a deadline: what is in flight is cancelled, exit 3; the same command makes it again', async () => {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill(evals), ...haiku, '--runs', '2', '--concurrency', '2', '--workspace', workspace]
  const late = await served(`latency: 60000\n${says}`, (env) => runMain([...args, '--deadline', '10s'], { env }))
  expect(late.code, late.stderr).toBe(3)
  expect(late.stdout).toMatch(/stopped by the deadline .*: 0 of 8 runs/)
  const before = stateOf(workspace)
  expect(before.records.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  expect(before.result.counts).toMatchObject({ used: 0, excluded: { cancelled: 2, missing: 6 } })
  const after = await served(says, (env) => runMain(args, { env }))
  expect(after.code, after.stderr).toBe(0)
  expect(readdirSync(path.join(workspace, 'benchmarks'))).toHaveLength(1)
  expect(stateOf(workspace).result).toMatchObject({ complete: true, counts: { used: 8 } })
})

describe('--dry-run', () => {
  test('estimates by earlier runs, or says that there are none', async () => {
    await served(says, async (env) => {
      const workspace = path.join(fresh(), 'ws')
      const args = ['bench', makeSkill(evals), ...haiku, '--runs', '2', '--workspace', workspace, '--fresh']
      expect((await runMain([...args, '--dry-run'], { env })).stdout).toContain('estimate  unknown: no earlier run')
      await runMain(args, { env })
      const { estimate } = JSON.parse((await runMain([...args, '--dry-run', '--json'], { env })).stdout)
      expect(estimate).toMatchObject({ from_runs: 8, done: 0, judge: { gradings: 0, usd: 0 } })
      expect(estimate.usd).toBeCloseTo(costs(stateOf(workspace).records), 9)
      expect(estimate.arms.map(({ runs }: { runs: number }) => runs)).toEqual([4, 4])
      const { stdout } = await runMain([...args, '--dry-run'], { env })
      expect(stdout).toMatch(/estimate {2}<?\$0\.0\d, [\d,]+ tokens, .* with 4 at once \(from 8 earlier runs\)/)
    })
  })
})

const script = '/usr/bin/script'
needs(
  'script, for a terminal',
  existsSync(script),
  'install util-linux',
)('on a terminal', () => {
  /** The program on a pseudo terminal, with this typed in. */
  const typed = (args: readonly string[], options: ProgramOptions, answer: string) => {
    const shell = `printf '${answer}\\n' | ${script} -qec "$(printf '%q ' "$0" "$@")" /dev/null`
    return whetstone(args, { ...options, shell })
  }
  test('what is dear is asked about; no starts nothing, yes and --yes start it', async () => {
    await served(says, async (env) => {
      const workspace = path.join(fresh(), 'ws')
      const args = ['bench', makeSkill(evals), ...haiku, '--runs', '1', '--workspace', workspace, '--no-cache']
      await runMain(args, { env })
      const count = () => readdirSync(path.join(workspace, 'benchmarks')).length
      const dear = [...args, '--ask-above-cost', '0']
      const no = await typed(dear, { env }, 'n')
      expect(no.stdout).toContain('Continue? [y/N]')
      expect([no.code, count()]).toEqual([130, 1])
      expect([(await typed(dear, { env }, 'y')).code, count()]).toEqual([0, 2])
      const silent = await typed([...dear, '--yes'], { env }, 'n')
      expect(silent.stdout).not.toContain('Continue?')
      expect([silent.code, count()]).toEqual([0, 3])
      expect((await typed(args, { env }, 'n')).stdout).not.toContain('Continue?')
      expect((await typed(dear, { env: { ...env, CI: 'true' } }, 'n')).stdout).not.toContain('Continue?')
      expect([(await runMain(dear, { env })).code, count()]).toEqual([0, 6])
    })
  })
})
