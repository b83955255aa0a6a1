/**
 * The same input is never paid for twice: what a second bench asks of the model, by the practice server's own log; what is kept, explained and
 * pruned; costs are by the file of --prices, and the level of --effort is part of the key.
 */
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { readJudgeDecisions } from '../../../src/flows/labels/judge_decisions.ts'
import { readPlan, readRun } from '../../../src/store/store.ts'
import { runMain } from '../../cli/run_main.ts'
import { packsIn, pageIn } from '../../viewer/unpack.ts'
import { bench as benchIn, newestIn, tidyCases } from '../bench/benched.ts'
import { fresh, makeSkill } from '../program.ts'

const scenario = `
schema_version: 1
rules:
  - name: judge
    when: { tool: '^submit$' }
    tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: done }] } }]
  - name: agent with the skill
    when: { system: 'SKILL\\.md' }
    text: done TIDY
  - name: agent without it
    text: done
`
const suite = (checks: readonly object[]) =>
  [1, 2].map((id) => ({ id, prompt: `task ${id}`, expectations: ['It is done.'], checks }))
const tidy = [{ type: 'contains', value: 'TIDY' }]

const all = { with: 2, without: 2, judge: 4 }
const none = { with: 0, without: 0, judge: 0 }

const at: { server?: Awaited<ReturnType<typeof startPractice>>; benched?: string } = {}
beforeAll(async () => {
  at.server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  at.benched = path.join(fresh(), 'ws')
  expect(await setUp(at.benched).bench()).toMatchObject({ code: 0, asked: all })
})
afterAll(() => at.server?.close())

/** A skill and a workspace in which it was benched once. */
function benched() {
  const workspace = path.join(fresh(), 'ws')
  cpSync(at.benched ?? '', workspace, { recursive: true })
  return setUp(workspace)
}

function setUp(workspace = path.join(fresh(), 'ws'), evals: readonly object[] = suite(tidy)) {
  const server = at.server
  if (server === undefined) throw new Error('no server')
  const skill = makeSkill(evals)
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const run = async (args: readonly string[]) => {
    const before = server.requests.length
    const end = await runMain(args, { env })
    const requests = server.requests.slice(before)
    const by = (name: string) => requests.filter(({ rule }) => rule === name)
    const count = (name: string) => by(name).length
    const asked = { with: count('agent with the skill'), without: count('agent without it'), judge: count('judge') }
    return { ...end, asked, by }
  }
  const bench = (...flags: string[]) => {
    const runs = flags.includes('--runs') ? [] : ['--runs', '1']
    return run(['bench', skill, '--engine', 'anthropic:practice-1', ...runs, '--workspace', workspace, ...flags])
  }
  const newest = () => newestIn(workspace)
  const grade = (...flags: string[]) => run(['grade', newest().folder, ...flags])
  const write = (evals: readonly object[]) =>
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  return { skill, workspace, bench, grade, newest, write }
}

/** Where each run of an arm as it was in the iteration before is, by the page; 3: it is the same run. */
function beforeIn(folder: string) {
  const { arms, runs } = pageIn(readFileSync(path.join(folder, 'report.html'), 'utf8'))
  return Object.fromEntries(arms.map((arm, at) => [arm, runs.before?.filter((_, index) => runs.arm[index] === at)]))
}

/** Of the judge's decisions, as the page carries them. */
function idsInPage(folder: string): string[] {
  const packs = packsIn(readFileSync(path.join(folder, 'report.html'), 'utf8')).flat()
  return packs.flatMap(({ ids = [] }) => ids.flatMap((id) => id ?? []))
}

describe('a second bench', () => {
  test('of the same asks for nothing, is complete, says the same and where its runs are from', async () => {
    const made = benched()
    const before = made.newest()
    const end = await made.bench()
    expect(end).toMatchObject({ code: 0, asked: none })
    expect(end.stderr).toContain('4 of 4 runs reused (2 with_skill, 2 without_skill; oldest 20')
    const after = made.newest()
    expect(after.folder).not.toBe(before.folder)
    expect(after.result).toMatchObject({ complete: true, reused: { runs: 4 } })
    expect(before.result.reused).toBeUndefined()
    expect(after.result.runs).toEqual(before.result.runs)
    const from = { benchmark: path.basename(before.folder) }
    expect(after.records.map(({ cached_from }) => cached_from)).toEqual(
      before.records.map(({ ended_at }) => ({ ...from, at: ended_at })),
    )
    expect(readFileSync(path.join(after.folder, 'benchmark.md'), 'utf8')).toContain('4 of 4 runs reused')
    expect(beforeIn(after.folder)).toEqual({ with_skill: [3, 3], without_skill: [3, 3] })
    const ids = (await readJudgeDecisions(after.folder, await readPlan(after.folder))).map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(idsInPage(after.folder).sort(), 'as they are on disk').toEqual(ids.sort())
    await made.bench()
    const sources = made.newest().records.map(({ cached_from }) => cached_from?.benchmark)
    expect(new Set(sources), 'a third names the first, not the second').toEqual(new Set([from.benchmark]))
  })
  test('after the skill has changed: only the arm that saw it, and the benchmark says so', async () => {
    const made = benched()
    appendFileSync(path.join(made.skill, 'SKILL.md'), 'And be kind.\n')
    expect(await made.bench()).toMatchObject({ code: 0, asked: { with: 2, without: 0, judge: 2 } })
    const { folder, result } = made.newest()
    expect(result.reused?.by_configuration).toEqual({ without_skill: 2 })
    expect(beforeIn(folder)).toEqual({ with_skill: [1, 1], without_skill: [3, 3] })
    expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toMatch(
      /2 of 4 runs reused \(2 without_skill; oldest \d{4}/,
    )
  })
  test('after an expectation has changed: by the judge alone', async () => {
    const made = benched()
    made.write(suite(tidy).map((one) => ({ ...one, expectations: ['It is really done.'] })))
    expect(await made.bench()).toMatchObject({ code: 0, asked: { ...none, judge: 4 } })
  })
  test('after a check has changed: nothing is asked, everything is graded again', async () => {
    const made = benched()
    made.write(suite([{ type: 'contains', value: 'done' }]))
    expect(await made.bench()).toMatchObject({ code: 0, asked: none })
    expect(made.newest().result.run_summary.without_skill?.pass_rate.mean).toBe(1)
  })
  test.each<[string, string[], object]>([
    ['more runs', ['--runs', '2'], all],
    ['a limit of turns', ['--max-turns', '9'], all],
    ['another judge', ['--judge', 'anthropic:practice-2'], { ...none, judge: 4 }],
    ['how many at once', ['--concurrency', '1'], none],
    ['a budget: what is reused costs nothing', ['--budget-tokens', '1'], none],
    ['--no-cache', ['--no-cache'], all],
  ])('with %s', async (_what, flags, asked) => {
    const made = benched()
    expect(await made.bench(...flags)).toMatchObject({ code: 0, asked })
  })
  test('of two cases that ask the same: each has runs of its own', async () => {
    const made = setUp(
      undefined,
      suite(tidy).map((one) => ({ ...one, prompt: 'the same' })),
    )
    const ends = [await made.bench(), await made.bench()]
    expect(ends.map(({ asked }) => asked.with + asked.without)).toEqual([4, 0])
    const { records } = made.newest()
    expect(new Set(records.map(({ started_at, ended_at }) => `${started_at} ${ended_at}`)).size).toBe(4)
  })
  test('with --last-failed asks again; --fresh replaces what was kept', async () => {
    const made = setUp(undefined, suite([{ type: 'contains', value: 'SPOTLESS' }]))
    await made.bench()
    expect((await made.bench('--last-failed')).asked).toMatchObject({ with: 2, without: 2 })
    expect((await made.bench('--fresh')).asked).toMatchObject({ with: 2, without: 2 })
    const renewed = path.basename(made.newest().folder)
    await made.bench()
    expect(made.newest().records[0]?.cached_from?.benchmark).toBe(renewed)
  })
})

describe('what is kept', () => {
  test('a damaged entry is named and its run is made again; the others are reused', async () => {
    const made = benched()
    const runs = path.join(made.workspace, '.cache/runs')
    const [first = ''] = readdirSync(runs)
    writeFileSync(path.join(runs, first, 'entry'), 'nothing')
    const end = await made.bench()
    expect(end).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('removed from the cache; the run starts again'),
    })
    expect(end.asked.with + end.asked.without).toBe(1)
    expect(made.newest().result.reused?.runs).toBe(3)
  })
  test('a benchmark stays whole when the cache is gone', async () => {
    const made = benched()
    await made.bench()
    const { folder, records } = made.newest()
    rmSync(path.join(made.workspace, '.cache'), { recursive: true })
    expect((await runMain(['aggregate', folder, '--force'])).code).toBe(0)
    expect(made.newest().records).toEqual(records)
  })
  test.each([
    ['fails', 'exit 1', '60', 3],
    ['times out', 'sleep 60', '1', 0],
  ])('is no run that %s', async (_what, script, timeout, code) => {
    const how = ['--runs', '1', '--retries', '0', '--sandbox', 'off', '--timeout', timeout]
    const end = await benchIn({ engine: `command:sh -c '${script}'` }, ...how)
    expect(end.code, end.stderr).toBe(code)
    expect(readdirSync(path.join(end.workspace, '.cache/runs'))).toEqual([])
  })
  test('negative control: one that ends well is, until the program changes', async () => {
    const file = path.join(fresh(), 'agent.sh')
    const asked = { skill: makeSkill(tidyCases(1)), workspace: path.join(fresh(), 'ws'), engine: `command:sh ${file}` }
    for (const kept of [2, 4]) {
      writeFileSync(file, `echo TIDY ${kept}`)
      await benchIn(asked, '--runs', '1', '--sandbox', 'off')
      expect(readdirSync(path.join(asked.workspace, '.cache/runs'))).toHaveLength(kept)
    }
  })
})

describe('--dry-run --explain', () => {
  test('says run by run what is reused, and which part of the key keeps the others out', async () => {
    const made = setUp()
    expect((await made.bench('--dry-run', '--explain')).stdout).toContain('this workspace has no cached runs yet')
    await made.bench()
    appendFileSync(path.join(made.skill, 'SKILL.md'), 'And be kind.\n')
    const { stdout, asked } = await made.bench('--dry-run', '--explain')
    expect(asked).toEqual(none)
    expect(stdout).toMatch(/with_skill\/run-1\s+new\s+new\s+skill changed: SKILL\.md/)
    expect(stdout).toMatch(/without_skill\/run-1\s+reused\s+reused\s+everything is the same/)
    expect(stdout).toContain('2 runs are reused')
    const json = JSON.parse((await made.bench('--dry-run', '--explain', '--json', '--timeout', '299')).stdout)
    const of = (arm: string) => json.cache.find(({ run_id }: { run_id: string }) => run_id.includes(`/${arm}/`))
    expect(of('without_skill')).toMatchObject({ status: 'made', differs: [{ was: '300', is: '299' }] })
  })
})

describe('`grade` asks a judge', () => {
  const changed = (value: string) => suite([{ type: 'contains', value }])

  test('nothing that it has answered before, in a bench or in a grade; with --no-cache it does', async () => {
    const made = setUp() // the benchmark names its skill
    await made.bench()
    made.write(changed('tid'))
    expect(await made.grade()).toMatchObject({ code: 0, asked: none })
    expect(await made.grade('--judge', 'anthropic:practice-2')).toMatchObject({ code: 0, asked: { judge: 4 } })
    made.write(changed('TID'))
    expect(await made.grade('--judge', 'anthropic:practice-2')).toMatchObject({ code: 0, asked: none })
    made.write(changed('TI'))
    expect(await made.grade('--judge', 'anthropic:practice-2', '--no-cache')).toMatchObject({ asked: { judge: 4 } })
  })

  test('everything with --anew, and again each time with --again', async () => {
    const made = benched()
    expect(await made.grade('--anew')).toMatchObject({ code: 0, asked: { judge: 4 } })
    expect(await made.grade('--again', '1')).toMatchObject({ code: 0, asked: { judge: 4 } })
  })
})

describe('--prices', () => {
  const priced = () => {
    const file = path.join(fresh(), 'own-prices.yaml')
    writeFileSync(file, 'anthropic:practice-1: { input: 10, output: 100 }\n')
    return file
  }
  test('a budget that is refused without the file is kept with it, and the report names the file', async () => {
    const [made, file] = [setUp(), priced()]
    const refused = await made.bench('--budget', '2')
    expect(refused).toMatchObject({ code: 2, asked: none, stderr: expect.stringContaining('--prices') })
    expect(await made.bench('--budget', '2', '--prices', file)).toMatchObject({ code: 0 })
    const { folder, result } = made.newest()
    expect(result.cost).toMatchObject({ unknown_runs: 0, prices: ['own-prices.yaml'] })
    expect(result.cost?.judge_usd).toBeGreaterThan(0)
    const plan = await readPlan(folder)
    const stored = await readRun(folder, plan.runs[0]?.run_id ?? '')
    const { usage, cost } = stored?.record ?? {}
    const usd = (10 * (usage?.input_tokens ?? 0) + 100 * (usage?.output_tokens ?? 0)) / 1e6
    expect(cost).toMatchObject({ source: 'prices', prices: 'own-prices.yaml' })
    expect(cost?.usd).toBeCloseTo(usd, 9)
    expect(stored?.grading?.judge?.prices).toBe('own-prices.yaml')
    expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toContain('by the prices of own-prices.yaml')
  })
  test('the file is not part of the key: the same bench is not run again', async () => {
    expect(await benched().bench('--prices', priced())).toMatchObject({ code: 0, asked: none })
  })
})

describe('--effort', () => {
  test('reaches agent and judge, is recorded, and another level is another run', async () => {
    const made = setUp()
    const first = await made.bench('--effort', 'low', '--judge-effort', 'high')
    expect(first).toMatchObject({ code: 0, asked: all })
    const efforts = (rule: string) => [...new Set(first.by(rule).map(({ effort }) => effort))]
    expect([efforts('agent with the skill'), efforts('agent without it'), efforts('judge')]).toEqual([
      ['low'],
      ['low'],
      ['high'],
    ])
    const { folder, records } = made.newest()
    expect((await readPlan(folder)).options).toMatchObject({ engine: { effort: 'low' }, judge: { effort: 'high' } })
    expect(records[0]?.engine.effort).toBe('low')
    expect((await made.bench('--effort', 'low', '--judge-effort', 'high')).asked).toEqual(none)
    expect((await made.bench('--effort', 'low', '--judge-effort', 'max')).asked).toEqual({ ...none, judge: 4 })
    expect((await made.bench('--effort', 'max', '--judge-effort', 'max')).asked).toMatchObject({ with: 2, without: 2 })
  })
})
