/**
 * The commands once, as a user starts them. What each does in detail is tested in process; bench, eval, grade, improve, triggers, rank, doctor and mcp
 * are started where they are interrupted.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runMain } from '../cli/run_main.ts'
import { unpackEarlierWorkspace } from './earlier_workspace.ts'
import { analyst, benched, compareWith, judgeFlags, judgeServer, judges } from './judge/comparing.ts'
import { fresh, makeSkill, whetstone } from './program.ts'
import { drafted, drafts } from './suites/drafting.ts'

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
  test('convert has the verifier of a Harbor task', async () => {
    const skill = makeSkill([{ id: 1, name: 'one', prompt: 'Go.', checks: [{ type: 'file_exists', path: 'x' }] }])
    const output = path.join(fresh(), 'tasks')
    const end = await whetstone(['convert', skill, '--to', 'harbor', '-o', output])
    expect(end, end.stderr).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 case of tidy: /) })
    expect(readFileSync(path.join(output, 'one/tests/verify.py'), 'utf8')).toContain('reward.txt')
  })
  test('test runs the deterministic tests of a package', async () => {
    const { code, stdout } = await whetstone(['test', path.join(example, '../example-aam')])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\d+ passed/)])
  })
})

describe('a finished benchmark', () => {
  let earlier: ReturnType<typeof unpackEarlierWorkspace>
  let benchmark: string
  beforeAll(() => {
    earlier = unpackEarlierWorkspace(whetstone)
    benchmark = earlier.listBenchmarks()[0] ?? ''
  })

  test('aggregate writes the same numbers again', async () => {
    // the fourth decimal of a mean that is a tie depends on how it is summed, and has changed since 0.1
    const roundNumber = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)
    const summary = () => JSON.parse(earlier.read(`${benchmark}/benchmark.json`), roundNumber).run_summary
    const before = summary()
    expect((await earlier.run(['aggregate', benchmark])).code).toBe(0)
    expect(summary()).toEqual(before)
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
    const shown = await runMain(['audit', path.join(earlier.folder, earlier.workspace)])
    const id = /^([0-9a-f]{12}) passed/m.exec(shown.stdout)?.[1] ?? ''
    const labelled = await earlier.run(['audit', earlier.workspace, '--label', `${id}=agree`])
    expect(labelled.code, labelled.stderr).toBe(0)
    expect(earlier.read(`${earlier.workspace}/audit_log.jsonl`)).toContain(`"id":"${id}"`)
  })
})

test('compare decides blind which runs are better, and says why', async () => {
  const { folder } = await benched()
  await using server = await judgeServer(`${judges.fair}${analyst}`)
  const compared = await compareWith(server, [folder])
  expect(compared.code, compared.stderr).toBe(0)
  expect(compared.stdout).toContain('with skill wins 4 of 4 pairs')
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const analyzed = await whetstone(['compare', folder, '--analyze', ...judgeFlags], { env })
  expect(analyzed.code, analyzed.stderr).toBe(0)
  expect(analyzed.stdout).toContain('Say it twice')
})

describe('the machine', () => {
  test('queue status names a server that cannot be reached', async () => {
    const queue = ['--queue', 'redis://127.0.0.1:9', '--queue-wait', '0']
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
