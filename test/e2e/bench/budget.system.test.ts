/** A budget ends a benchmark in time, what is there is valid and balanced, a larger one goes on; a deadline likewise. */
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { runRecord } from '../../../schemas/run.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const evals = [1, 2, 3].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))
const scenario = "latency: 40\nrules: [{ name: says, text: 'TIDY, and so on, and so on' }]"

interface Bench {
  run: (...flags: string[]) => ReturnType<typeof look>
}

async function look(skill: string, workspace: string, flags: readonly string[], url: string) {
  const args = ['bench', skill, '--workspace', workspace, '--runs', '4', '--concurrency', '4', '--json']
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' }
  const end = await whetstone([...args, '--engine', 'anthropic:claude-haiku-4-5', ...flags], { env })
  return { ...end, ...stateOf(workspace), lines: linesOf(end.stdout) }
}

function linesOf(text: string) {
  const lines = text.trim() === '' ? [] : text.trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

function stateOf(workspace: string) {
  const folder = path.join(workspace, 'benchmarks')
  const names = readdirSync(folder).sort()
  const newest = path.join(folder, names.at(-1) ?? '')
  const files = readdirSync(newest, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('run.json'))
  const records = files.map((name) => runRecord.parse(JSON.parse(readFileSync(path.join(newest, name), 'utf8'))))
  const result = benchmark.parse(JSON.parse(readFileSync(path.join(newest, 'benchmark.json'), 'utf8')))
  const read = (name: string) => readFileSync(path.join(newest, name), 'utf8')
  return { benchmarks: names.length, folder: newest, records, result, read }
}

const costs = (records: ReturnType<typeof stateOf>['records']) => records.map(({ cost }) => cost?.usd ?? Number.NaN)
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

async function withServer<R>(work: (made: Bench) => Promise<R>, text = scenario): Promise<R> {
  await using server = await startPractice({ scenario: parseScenario(text, 'test.yaml') })
  const [skill, workspace] = [makeSkill(evals), path.join(fresh(), 'ws')]
  return await work({ run: (...flags) => look(skill, workspace, flags, server.url) })
}

/** What the whole benchmark costs. */
const whole = withServer(async ({ run }) => {
  const { records } = await run()
  return { total: sum(costs(records)), most: Math.max(...costs(records)), runs: records.length }
})

describe('--budget for half of the runs', () => {
  test('ends it there: exit 3, valid, marked everywhere, both arms alike; a larger one goes on', async () => {
    const { total, most } = await whole
    const budget = total / 2
    await withServer(async ({ run }) => {
      const first = await run('--budget', String(budget))
      expect(first.code, first.stderr).toBe(3)
      expect(sum(costs(first.records))).toBeLessThanOrEqual(budget + 4 * most)
      expect(first.records.length).toBeGreaterThan(8)
      expect(first.records.length).toBeLessThan(16)
      const arms = first.records.map(({ eval_id, run_number }) => `${eval_id} ${run_number}`)
      expect(first.records).toHaveLength(2 * new Set(arms).size)
      const words = new RegExp(
        `stopped by the budget: ${first.records.length} of 24 runs; \\$0\\.\\d+ of \\$0\\.\\d+ spent`,
        'i',
      )
      expect(first.result).toMatchObject({ complete: false, metadata: { stopped: { kind: 'budget', limit: budget } } })
      for (const name of ['benchmark.md', 'report.html']) expect(first.read(name)).toMatch(words)
      const events = first.lines.slice(0, -1).map((line) => flowEvent.parse(line))
      expect(events.filter(({ type }) => type === 'budget_reached')).toHaveLength(1)
      const again = await run('--budget', String(2 * total))
      expect(again).toMatchObject({ code: 0, benchmarks: 1, result: { complete: true } })
      expect(again.result.metadata.stopped).toBeUndefined()
      expect(again.records).toHaveLength(24)
    })
  })
  /** Ends early, loses two runs, and is resumed with the same budget. */
  const resumed = async (forget: boolean) => {
    const { total } = await whole
    return await withServer(async ({ run }) => {
      const flags = ['--budget', String(total / 2), '--no-cache']
      const first = await run(...flags)
      const [one, other] = readdirSync(first.folder).filter((name) => name.startsWith('eval-'))
      for (const name of [one, other])
        rmSync(path.join(first.folder, name ?? '', 'with_skill/run-1'), { recursive: true })
      if (forget) rmSync(path.join(first.folder, 'spent.jsonl'))
      const second = await run(...flags)
      expect(second.benchmarks).toBe(1)
      return { kept: sum(costs(second.records)), spent: second.result.metadata.stopped?.spent ?? 0 }
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
  test('a last line of spent.jsonl that was cut off is named and left out, and the benchmark goes on', async () => {
    const { total } = await whole
    await withServer(async ({ run }) => {
      const first = await run('--budget', String(total / 4), '--no-cache')
      const file = path.join(first.folder, 'spent.jsonl')
      const lines = first.read('spent.jsonl')
      appendFileSync(file, lines.slice(0, 40))
      const second = await run('--budget', String(2 * total), '--no-cache')
      expect(second, second.stderr).toMatchObject({ code: 0, benchmarks: 1, result: { complete: true } })
      const damaged = second.lines.filter(({ type }) => type === 'artefact_damaged')
      expect(damaged).toMatchObject([
        {
          file,
          message: `${file}:${lines.split('\n').length}: the last line is cut off`,
          mended: expect.stringMatching(/^skipped/),
        },
      ])
      expect(() => linesOf(second.read('spent.jsonl'))).not.toThrow()
    })
  })
  test('aggregate keeps the mark', async () => {
    const { total } = await whole
    await withServer(async ({ run }) => {
      const { folder } = await run('--budget', String(total / 4))
      const end = await whetstone(['aggregate', folder])
      expect(end).toMatchObject({ code: 3, stdout: expect.stringContaining('stopped by the budget') })
    })
  })
  test('negative control: without the purse more than the bound is spent', async () => {
    const { total, most } = await whole
    expect(total).toBeGreaterThan(total / 2 + 4 * most)
  })
})
