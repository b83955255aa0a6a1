/** What a second bench asks of the model, by the practice server's own log; what is kept, explained and pruned. */
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { readJudgeDecisions } from '../../../src/flows/labels/judge_decisions.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { readPlan } from '../../../src/store/store.ts'
import { runMain } from '../../cli/run_main.ts'
import { packsIn } from '../../viewer/unpack.ts'
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

function setUp(workspace = path.join(fresh(), 'ws')) {
  const server = at.server
  if (server === undefined) throw new Error('no server')
  const skill = makeSkill(suite(tidy))
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const run = async (args: readonly string[]) => {
    const before = server.requests.length
    const end = await runMain(args, { env })
    const rules = server.requests.slice(before).flatMap(({ rule }) => rule ?? [])
    const count = (name: string) => rules.filter((rule) => rule === name).length
    const asked = { with: count('agent with the skill'), without: count('agent without it'), judge: count('judge') }
    return { ...end, asked }
  }
  const bench = (...flags: string[]) =>
    run(['bench', skill, '--engine', 'anthropic:practice-1', '--runs', '1', '--workspace', workspace, ...flags])
  const grade = (...flags: string[]) => run(['grade', newest(), ...flags])
  const newest = () => {
    const folder = path.join(workspace, 'benchmarks')
    return path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
  }
  const result = () => benchmark.parse(JSON.parse(readFileSync(path.join(newest(), 'benchmark.json'), 'utf8')))
  const write = (evals: readonly object[]) =>
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  return { skill, workspace, bench, grade, newest, result, write }
}

/** Of the judge's decisions, as the page carries them. */
function idsInPage(folder: string): string[] {
  const packs = packsIn(readFileSync(path.join(folder, 'report.html'), 'utf8')).flat()
  return packs.flatMap(({ ids = [] }) => ids.flatMap((id) => id ?? []))
}

describe('the model is asked', () => {
  test('for everything once, then for nothing; after the skill has changed only for the arm that saw it', async () => {
    const made = benched()
    expect(await made.bench()).toMatchObject({ code: 0, asked: none })
    expect(made.result().reused).toMatchObject({ runs: 4 })
    const ids = (await readJudgeDecisions(made.newest(), await readPlan(made.newest()))).map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(idsInPage(made.newest()).sort(), 'as they are on disk').toEqual(ids.sort())
    appendFileSync(path.join(made.skill, 'SKILL.md'), 'And be kind.\n')
    expect(await made.bench()).toMatchObject({ code: 0, asked: { with: 2, without: 0, judge: 2 } })
    expect(made.result().notes.join()).toContain('2 of 4 runs reused (2 without_skill')
  })
  test('by the judge alone after an expectation has changed', async () => {
    const made = benched()
    made.write(suite(tidy).map((one) => ({ ...one, expectations: ['It is really done.'] })))
    expect(await made.bench()).toMatchObject({ code: 0, asked: { ...none, judge: 4 } })
  })
  test.each<[string, string[], object]>([
    ['another time limit', ['--timeout', '299'], all],
    ['a limit of turns', ['--max-turns', '9'], all],
    ['another judge', ['--judge', 'anthropic:practice-2'], { ...none, judge: 4 }],
    ['how many at once', ['--concurrency', '1'], none],
  ])('with %s', async (_what, flags, asked) => {
    const made = benched()
    expect(await made.bench(...flags)).toMatchObject({ code: 0, asked })
  })
  test('under a budget: what is reused costs nothing', async () => {
    const made = benched()
    expect(await made.bench('--budget-tokens', '1')).toMatchObject({ code: 0, asked: none })
  })
})

describe('an entry that is damaged', () => {
  test('is named and made anew, the others are reused', async () => {
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
    expect(made.result().reused?.runs).toBe(3)
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
    expect(json.cache).toHaveLength(4)
    const of = (arm: string) => json.cache.find(({ run_id }: { run_id: string }) => run_id.includes(`/${arm}/`))
    expect(of('without_skill')).toMatchObject({
      status: 'made',
      differs: [{ part: 'timeout seconds', was: '300', is: '299' }],
    })
  })
  test('without --dry-run is a mistake', async () => {
    const made = setUp()
    expect(await made.bench('--explain')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('without --dry-run'),
    })
  })
})

describe('whetstone cache', () => {
  test('stats counts; prune removes what it says; a benchmark stays whole', async () => {
    const made = benched()
    await made.bench()
    const cache = (...args: string[]) => runMain(['cache', ...args, '--workspace', made.workspace, '--json'])
    const stats = JSON.parse((await cache('stats')).stdout)
    expect(stats).toMatchObject({
      runs: { entries: 4 },
      answers: { entries: 4 },
      damaged: 0,
      by: [{ skill: 'tidy', engine: 'anthropic', model: 'practice-1', entries: 4 }],
      last_bench: { reused: 4, planned: 4 },
    })
    const pruned = async (...flags: string[]) => JSON.parse((await cache('prune', ...flags)).stdout)
    expect(await pruned('--older-than', '1h')).toMatchObject({ removed: { entries: 0 }, kept: { entries: 8 } })
    expect(await pruned('--all', '--dry-run')).toMatchObject({ removed: { entries: 8 } })
    expect(await pruned('--max-size', `${stats.runs.bytes}B`)).toMatchObject({ kept: { bytes: expect.any(Number) } })
    expect(JSON.parse((await cache('stats')).stdout).runs.bytes).toBeLessThanOrEqual(stats.runs.bytes)
    expect(await pruned('--older-than', '0m')).toMatchObject({ kept: { entries: 0 } })
    expect(made.result().complete).toBe(true)
    expect(await made.bench()).toMatchObject({ code: 0, asked: all })
  })
  test.each([
    [['prune'], 'cache prune: no filter'],
    [['prune', '--older-than', 'soon'], '--older-than: expected an age such as 12h, 30d or 2w, got "soon"'],
    [['prune', '--max-size', '5'], '--max-size: expected a size such as 500MB, 1.5GB or 2GiB, got "5"'],
    [['stats', '--all'], 'cache stats takes no filter'],
    [['stats', '--workspace', '/nowhere'], 'no cache found'],
    [['clear'], 'cache action: unknown value "clear"\nhint: expected one of stats, prune'],
  ])('%j is a mistake', async (args, message) => {
    expect(await runMain(['cache', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
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
