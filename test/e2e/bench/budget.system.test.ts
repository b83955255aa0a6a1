/** Limits of a benchmark: a budget, costs that are not known, tokens, judges, many skills, a deadline, what a person is asked. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { agent, fresh, makeSkill, type ProgramOptions, whetstone } from '../program.ts'
import { bench, jsonLines, newestIn, says, sum, tidyCases, tidySkill, withModel } from './benched.ts'

const engine = 'anthropic:claude-haiku-4-5'
const costOf = (workspace: string) => sum(newestIn(workspace).records.map(({ cost }) => cost?.usd ?? 0))

type Run = (...flags: string[]) => Promise<Awaited<ReturnType<typeof bench>> & ReturnType<typeof newestIn>>

/** Benchmarks of one skill in one workspace: 16 runs each. */
function inWorkspace<R>(work: (run: Run) => Promise<R>): Promise<R> {
  const [skill, workspace] = [tidySkill(4), path.join(fresh(), 'ws')]
  return withModel(`latency: 40\n${says}`, (env) =>
    work(async (...flags) => {
      const end = await bench(
        { skill, workspace, engine, env },
        '--runs',
        '2',
        '--concurrency',
        '2',
        '--json',
        ...flags,
      )
      return { ...end, ...newestIn(workspace) }
    }),
  )
}

/** What the whole benchmark costs, and its dearest run. */
const whole = inWorkspace(async (run) => {
  const costs = (await run()).records.map(({ cost }) => cost?.usd ?? Number.NaN)
  return { total: sum(costs), most: Math.max(...costs) }
})

describe('--budget for a part of the runs', () => {
  test('ends it there: exit 3, valid, marked everywhere, both arms alike; a larger one goes on', async () => {
    const { total, most } = await whole
    const budget = total / 2
    await inWorkspace(async (run) => {
      const first = await run('--budget', String(budget))
      expect(first.code, first.stderr).toBe(3)
      expect(costOf(first.workspace)).toBeLessThanOrEqual(budget + 2 * most)
      expect(first.records.length).toBeGreaterThan(4)
      expect(first.records.length).toBeLessThan(12)
      const arms = first.records.map(({ eval_id, run_number }) => `${eval_id} ${run_number}`)
      expect(first.records).toHaveLength(2 * new Set(arms).size)
      const said = `stopped by the budget: ${first.records.length} of 16 runs; \\$0\\.\\d+ of \\$0\\.\\d+ spent`
      expect(first.result).toMatchObject({ complete: false, metadata: { stopped: { kind: 'budget', limit: budget } } })
      for (const name of ['benchmark.md', 'report.html']) expect(first.read(name)).toMatch(new RegExp(said, 'i'))
      const events = first.lines.slice(0, -1).map((line) => flowEvent.parse(line))
      expect(events.filter(({ type }) => type === 'budget_reached')).toHaveLength(1)
      const aggregated = await runMain(['aggregate', first.folder])
      expect(aggregated).toMatchObject({ code: 3, stdout: expect.stringContaining('stopped by the budget') })
      const again = await run('--budget', String(2 * total))
      expect(again).toMatchObject({ code: 0, benchmarks: 1, result: { complete: true } })
      expect(again.result.metadata.stopped).toBeUndefined()
      expect(again.records).toHaveLength(16)
    })
  })
  /** Ends early, loses two runs, and is resumed with the same budget. */
  const resumed = async (forget: boolean) => {
    const { total } = await whole
    return await inWorkspace(async (run) => {
      const flags = ['--budget', String(total / 2), '--no-cache']
      const first = await run(...flags)
      const lost = readdirSync(first.folder).filter((name) => name.startsWith('eval-'))
      for (const name of lost.slice(0, 2))
        rmSync(path.join(first.folder, name, 'with_skill/run-1'), { recursive: true })
      if (forget) rmSync(path.join(first.folder, 'spent.jsonl'))
      const second = await run(...flags)
      expect(second.benchmarks).toBe(1)
      return { kept: costOf(second.workspace), spent: second.result.metadata.stopped?.spent ?? 0 }
    })
  }
  test('what was paid for runs that are lost counts after a resume', async () => {
    const { kept, spent } = await resumed(false)
    expect(spent).toBeGreaterThan(kept * 1.1)
  })
  test('negative control: without spent.jsonl it is what lies on disk', async () => {
    const { kept, spent } = await resumed(true)
    expect(spent).toBeCloseTo(kept, 9)
  })
})

test('what says neither cost nor tokens is refused with a limit of them before anything is started, as engine and as judge', async () => {
  const end = await bench({ engine: tidyAgent }, '--budget-tokens', '100')
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('command does not report tokens') })
  expect(existsSync(end.workspace)).toBe(false)
  const skill = makeSkill([{ id: 1, prompt: 'x', expectations: ['it is tidy'] }])
  const refused = await withModel(says, (env) =>
    bench({ skill, engine, env }, '--judge', agent('tidy.mjs'), '--budget', '1'),
  )
  const message = /--budget: the cost of command is unknown[\s\S]*--cost-per-run/
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('what a run took before it timed out is counted, and the benchmark goes on', async () => {
  const hangs = `rules:
    - { name: hangs, when: { user: 'task 2', turn: { min: 2 } }, fault: { hang: true }, text: x }
    - { name: begins, when: { user: 'task 2' }, tool_calls: [{ name: Glob, input: { pattern: '*' } }] }
    - { name: says, text: TIDY }`
  const how = ['--runs', '1', '--timeout', '2', '--budget', '5', '--concurrency', '1']
  const end = await withModel(hangs, (env) => bench({ skill: tidySkill(2), engine, env }, ...how))
  const { records, read } = newestIn(end.workspace)
  expect([end.code, records.length], end.stderr).toEqual([0, 4])
  const late = records.filter(({ status }) => status === 'timed_out')
  expect(late).toHaveLength(2)
  for (const { cost, usage } of late) {
    expect(cost).toMatchObject({ usd: expect.any(Number), source: 'estimated' })
    expect(usage).toMatchObject({ input_tokens: expect.any(Number) })
  }
  const paid = jsonLines(read('spent.jsonl')).filter(({ part }) => part === 'run')
  expect(paid.map(({ usd }) => usd).sort()).toEqual(records.map(({ cost }) => cost?.usd).sort())
})

test('--budget-tokens ends it in the same way', async () => {
  const how = ['--runs', '4', '--concurrency', '2', '--budget-tokens', '6000']
  const end = await withModel(says, (env) => bench({ skill: tidySkill(2), engine, env }, ...how))
  const { records, result } = newestIn(end.workspace)
  const tokens = sum(records.flatMap(({ usage }) => Object.values(usage ?? {}).map(Number)))
  expect(end.code, end.stderr).toBe(3)
  expect(result.metadata.stopped).toMatchObject({ kind: 'budget_tokens', limit: 6000, spent: tokens })
  expect(tokens).toBeLessThanOrEqual(6000 + (2 * tokens) / records.length)
})

test('a judge that says what it costs is paid from the same budget', async () => {
  const input = `{ verdicts: [{ n: 1, passed: true, evidence: TIDY }], claims: [], user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] }, eval_feedback: null }`
  const judges = `rules: [{ name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: ${input} }] }, { name: says, text: TIDY }]`
  const skill = makeSkill(tidyCases(2).map(({ id, prompt }) => ({ id, prompt, expectations: ['it is tidy'] })))
  await withModel(judges, async (env) => {
    const asked = { skill, engine, env, workspace: path.join(fresh(), 'ws') }
    const flags = ['--judge', engine, '--runs', '4', '--no-cache', '--fresh']
    const spentIn = (workspace: string) => {
      const gradings = sum(newestIn(workspace).gradings.map((one) => one.judge.cost_usd))
      return { gradings, total: costOf(workspace) + gradings }
    }
    expect((await bench(asked, ...flags)).code).toBe(0)
    const all = spentIn(asked.workspace)
    expect(all.gradings).toBeGreaterThan(0.3 * all.total)
    const half = await bench(asked, ...flags, '--budget', String(all.total / 2))
    const made = newestIn(asked.workspace)
    expect(half.code, half.stderr).toBe(3)
    expect(spentIn(asked.workspace).total).toBeLessThanOrEqual(all.total / 2 + (4 * all.total) / 16)
    expect(made.records.length).toBeLessThan(12)
    expect(made.gradings).toHaveLength(made.records.length)
  })
})

test('many skills share one budget; what was not started is in the index', async () => {
  await withModel(says, async (env) => {
    const named = (name: string) => makeSkill(tidyCases(2), {}, name)
    const [one, two, three, root] = [named('one'), named('two'), named('three'), fresh()]
    const before = await bench({ skill: one, engine, env }, '--runs', '2')
    const each = costOf(before.workspace)
    const asked = { skill: one, engine, env, workspace: path.join(root, 'all') }
    const end = await bench(asked, two, three, '--runs', '2', '--budget', String(1.5 * each), '--json')
    expect(end.code, end.stderr).toBe(3)
    const rows: { folder: string | null; status: string }[] = end.lines.at(-1).rows
    expect(rows.map(({ status }) => status).sort()).toEqual(['done', 'failed', 'incomplete'])
    const made = readdirSync(asked.workspace, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(made).toHaveLength(2)
    const spent = made.map(({ name }) => costOf(path.join(asked.workspace, name)))
    expect(sum(spent)).toBeLessThanOrEqual(1.5 * each + each / 2)
  })
})

test('a deadline: what is in flight is cancelled, exit 3; the same command makes it again', async () => {
  const asked = { skill: tidySkill(2), engine, workspace: path.join(fresh(), 'ws') }
  const how = ['--runs', '2', '--concurrency', '2']
  const late = await withModel(`latency: 60000\n${says}`, (env) => bench({ ...asked, env }, ...how, '--deadline', '5s'))
  expect(late.code, late.stderr).toBe(3)
  expect(late.stdout).toMatch(/stopped by the deadline .*: 0 of 8 runs/)
  const before = newestIn(asked.workspace)
  expect(before.records.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  expect(before.result.counts).toMatchObject({ used: 0, excluded: { cancelled: 2, missing: 6 } })
  const after = await withModel(says, (env) => bench({ ...asked, env }, ...how))
  expect(after.code, after.stderr).toBe(0)
  expect(newestIn(asked.workspace)).toMatchObject({ benchmarks: 1, result: { complete: true, counts: { used: 8 } } })
})

test('--dry-run estimates what the earlier runs cost; without any, what runs usually cost', async () => {
  await withModel(says, async (env) => {
    const asked = { skill: tidySkill(2), engine, env, workspace: path.join(fresh(), 'ws') }
    const how = ['--runs', '2', '--fresh', '--dry-run']
    const before = (await bench(asked, ...how)).stdout
    expect(before).toMatch(
      /estimate {2}about \$[\d.]+, [\d,]+ tokens, .* \(usual amounts, \$[\d.]+ to \$[\d.]+: no earlier run here\)/,
    )
    await bench(asked, '--runs', '2')
    const [{ estimate }] = (await bench(asked, ...how, '--json')).lines
    expect(estimate).toMatchObject({ from_runs: 8, done: 0, judge: { gradings: 0, usd: 0 } })
    expect(estimate.usd).toBeCloseTo(costOf(asked.workspace), 9)
    expect(estimate.arms.map(({ runs }: { runs: number }) => runs)).toEqual([4, 4])
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
  test('what is dear is asked about; no starts nothing, --yes starts it unasked', async () => {
    await withModel(says, async (env) => {
      const { args, workspace } = await bench({ engine, env }, '--runs', '1', '--no-cache')
      const count = () => readdirSync(path.join(workspace, 'benchmarks')).length
      const dear = [...args, '--ask-above-cost', '0']
      const no = await typed(dear, { env }, 'n')
      expect(no.stdout).toContain('Continue? [y/N]')
      expect([no.code, count()]).toEqual([130, 1])
      const silent = await typed([...dear, '--yes'], { env }, 'n')
      expect(silent.stdout).not.toContain('Continue?')
      expect([silent.code, count()]).toEqual([0, 2])
    })
  })
})
