/** Every command once, as a user starts it. What each does in detail is tested in process. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { unpackEarlierWorkspace } from './earlier_workspace.ts'
import { mended, mends, openWorld } from './improve/improving.ts'
import { analyst, benched, compareWith, judgeFlags, judgeServer, judges } from './judge/comparing.ts'
import { copyOf, practised } from './practised.ts'
import { agent, fresh, makeSkill, whetstone } from './program.ts'
import { drafted, drafts } from './suites/drafting.ts'
import { measured, queries, whole } from './triggers/triggers_stage.ts'

const example = path.join(import.meta.dirname, '../../workspaces/example')

describe('a skill and its suite', () => {
  test('check names every problem with its rule and ends with 1', async () => {
    const skill = makeSkill([{ id: 1, prompt: 'Tidy up.', expectatons: ['It is tidy'] }])
    const { code, stdout } = await whetstone(['check', skill])
    expect([code, stdout]).toEqual([1, expect.stringMatching(/expectatons.*did you mean "expectations"/)])
  })
  test('init drafts cases for review', async () => {
    const { end, made } = await drafted([{ cases: drafts(3) }], { args: ['--cases', '3'], start: whetstone })
    expect(end.code, end.stderr).toBe(0)
    expect(made.evals.map((one: { review: string }) => one.review)).toEqual(['draft', 'draft', 'draft'])
  })
  test('convert writes the other dialect', async () => {
    const skill = makeSkill([{ id: 1, prompt: 'Tidy up.', expectations: ['It is tidy'] }])
    const { code, stdout } = await whetstone(['convert', skill, '--to', 'agentskills', '--output', '-'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).evals[0].assertions).toEqual(['It is tidy'])
  })
  test('test runs the deterministic tests of a package', async () => {
    const { code, stdout } = await whetstone(['test', path.join(example, '../example-aam')])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\d+ passed/)])
  })
})

describe('runs', () => {
  test('bench runs both configurations, grades them and writes the reports', async () => {
    const skill = makeSkill([{ id: 1, prompt: 'Say it.', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const workspace = path.join(fresh(), 'ws')
    const flags = ['--engine', agent('tidy.mjs'), '--runs', '1', '--workspace', workspace, '--json']
    const { code, stdout, stderr } = await whetstone(['bench', skill, ...flags, '--sandbox', 'off'])
    expect(code, stderr).toBe(0)
    const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(result).toMatchObject({ type: 'result', exit_code: 0 })
    const [benchmark = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const files = readdirSync(path.join(workspace, 'benchmarks', benchmark))
    expect(files).toEqual(expect.arrayContaining(['benchmark.json', 'benchmark.md', 'plan.json', 'report.html']))
  })
  test('eval gives one verdict per case', async () => {
    const { verdicts, end } = await practised(copyOf('example-eval-md'))
    expect(end.code, end.stderr).toBe(0)
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['pass']))
  })
  test('triggers measures how often the description makes the agent use the skill', async () => {
    const args = ['--runs', '1', '--concurrency', '4']
    const asked = { engine: 'anthropic', model: 'keyword', set: queries.slice(0, 4), args, start: whetstone } as const
    const { summary } = whole(await measured(asked))
    expect(summary).toMatchObject({ runs_planned: 4, runs_decided: 4 })
  })
  test('improve keeps a version that wins on unseen cases', async () => {
    await using world = await openWorld(mends)
    const end = await world.improve()
    expect(end.code, end.stderr).toBe(0)
    expect(world.history().current_best).toBe('v1')
    expect(readFileSync(path.join(world.workspace, 'versions/v1/scripts/add.sh'), 'utf8')).toBe(mended)
  })
})

describe('a finished benchmark', () => {
  let earlier: ReturnType<typeof unpackEarlierWorkspace>
  let benchmark: string
  beforeAll(() => {
    earlier = unpackEarlierWorkspace(whetstone)
    benchmark = earlier.listBenchmarks()[0] ?? ''
  })
  const summary = () => JSON.parse(earlier.read(`${benchmark}/benchmark.json`)).run_summary

  test('aggregate writes the same numbers again', async () => {
    // the fourth decimal of a mean that is a tie depends on how it is summed, and has changed since 0.1
    const rounded = () => JSON.parse(JSON.stringify(summary()), (_, value) => roundNumber(value))
    const before = rounded()
    expect((await earlier.run(['aggregate', benchmark])).code).toBe(0)
    expect(rounded()).toEqual(before)
  })
  test('grade judges every run again', async () => {
    const before = summary()
    const judge = ['--judge', 'command:./judge.sh', '--anew', '--sandbox', 'off']
    const { code, stderr } = await earlier.run(['grade', benchmark, ...judge])
    expect([code, stderr.match(/^graded /gm)?.length]).toEqual([0, 8])
    expect(summary().with_skill.pass_rate).toEqual(before.with_skill.pass_rate)
  })
  test('view writes the page', async () => {
    const { code, stdout } = await earlier.run(['view', benchmark, '--no-open'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('report.html')])
    expect(earlier.read(`${benchmark}/report.html`)).toContain('<!doctype html>')
  })
  test('diff compares two benchmarks', async () => {
    const { code, stdout } = await earlier.run(['diff', ...earlier.listBenchmarks()])
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 with the same rate in both')])
  })
  test('audit shows what the judge decided, and takes a label', async () => {
    const shown = await earlier.run(['audit', earlier.workspace])
    const id = /^([0-9a-f]{12}) passed/m.exec(shown.stdout)?.[1] ?? ''
    const labelled = await earlier.run(['audit', earlier.workspace, '--label', `${id}=agree`])
    expect(labelled.code, labelled.stderr).toBe(0)
    expect(earlier.read(`${earlier.workspace}/audit_log.jsonl`)).toContain(`"id":"${id}"`)
  })
  test('cache says what is kept', async () => {
    const { code, stdout } = await earlier.run(['cache', 'stats', '--workspace', earlier.workspace])
    expect([code, stdout]).toEqual([0, expect.stringContaining('8 runs')])
  })
})

test('compare decides blind which runs are better, analyze says why', async () => {
  const { folder } = await benched()
  await using server = await judgeServer(`${judges.fair}${analyst}`)
  const compared = await compareWith(server, [folder])
  expect(compared.code, compared.stderr).toBe(0)
  expect(compared.stdout).toContain('with skill wins 4 of 4 pairs')
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const analyzed = await whetstone(['analyze', folder, ...judgeFlags], { env })
  expect(analyzed.code, analyzed.stderr).toBe(0)
  expect(analyzed.stdout).toContain('Say it twice')
})

describe('the machine', () => {
  test('doctor says what is there and what is missing', async () => {
    const { stdout } = await whetstone(['doctor', '--engine', 'command:true', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([expect.objectContaining({ name: 'node' })]),
    })
  })
  test('queue status names a server that cannot be reached', async () => {
    const closed = await freePort()
    const queue = ['--queue', `redis://127.0.0.1:${closed}`, '--queue-wait', '0']
    const { code, stderr } = await whetstone(['queue', 'status', ...queue])
    expect([code, stderr]).toEqual([3, expect.stringContaining('ECONNREFUSED')])
  })
  test('practice serves a scenario until it is stopped', async () => {
    const scenario = path.join(example, 'practice.yaml')
    const end = await whetstone(['practice', '--scenario', scenario], {
      started: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
    })
    expect(end.stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

function roundNumber(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(3)) : value
}
