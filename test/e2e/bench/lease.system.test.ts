/** Two processes on one workspace: the second is told who is at work, and pays for nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]

function setUp() {
  const folder = fresh()
  const log = path.join(folder, 'agent.log')
  const workspace = path.join(folder, 'ws')
  const args = ['bench', makeSkill(cases), '--engine', agent('tidy.mjs'), '--workspace', workspace, '--runs', '1']
  const env = { AGENT_LOG: log, AGENT_MS: '60000' }
  const starts = () => (existsSync(log) ? readFileSync(log, 'utf8').match(/start/g)?.length : 0) ?? 0
  const benchmarks = () =>
    readdirSync(path.join(workspace, 'benchmarks')).map((name) => path.join(workspace, 'benchmarks', name))
  return {
    workspace,
    args: [...args, '--sandbox', 'off', '--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_MS'],
    env,
    starts,
    benchmarks,
  }
}

type Made = ReturnType<typeof setUp>

/** Calls `during` while a first benchmark has both its runs in flight, then ends that by `signal` (twice). */
async function whileBusy(made: Made, signal: NodeJS.Signals, during: (pid: number | undefined) => Promise<void>) {
  return await whetstone(made.args, {
    env: made.env,
    started: async (child) => {
      while (made.starts() < 2) await sleep(10)
      await during(child.pid).finally(async () => {
        child.kill(signal)
        await sleep(100)
        child.kill(signal)
      })
    },
  })
}

const leases = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.lease'))

describe('while a benchmark is under way', () => {
  test.each([
    ['bench', (made: Made) => made.args, /--fresh/],
    ['grade', (made: Made) => ['grade', ...made.benchmarks()], /wait/],
    ['aggregate', (made: Made) => ['aggregate', ...made.benchmarks()], /wait/],
  ])('%s says who holds it, since when and what to do, and does nothing', async (_name, args, fix) => {
    const made = setUp()
    await whileBusy(made, 'SIGKILL', async (pid) => {
      const second = await whetstone(args(made), { env: made.env })
      expect(second.code, second.stderr).toBe(2)
      expect(second.stderr).toMatch(new RegExp(`process ${pid} on \\S+ has been at work there since 2\\d{3}-`))
      expect(second.stderr).toMatch(fix)
      expect(made.starts()).toBe(2)
      expect(made.benchmarks()).toHaveLength(1)
    })
  })
  test('negative control: with its lease taken away a second goes ahead', async () => {
    const made = setUp()
    await whileBusy(made, 'SIGKILL', async () => {
      const [folder = ''] = made.benchmarks()
      for (const name of leases(folder)) rmSync(path.join(folder, name))
      await whetstone(made.args, { env: { ...made.env, AGENT_MS: '0' } })
      expect(made.starts()).toBe(4)
    })
  })
  test('--fresh starts one beside it', async () => {
    const made = setUp()
    await whileBusy(made, 'SIGKILL', async () => {
      const second = await whetstone([...made.args, '--fresh'], { env: { ...made.env, AGENT_MS: '0' } })
      expect(second.code, second.stderr).toBe(0)
      expect(made.benchmarks()).toHaveLength(2)
    })
  })
})

describe('a folder that a killed process had only just made', () => {
  test.each([
    ['is cleared', [], 1],
    ['is kept where it holds a file of somebody', ['notes.txt'], 2],
  ])('%s', async (_what, files, left) => {
    const made = setUp()
    const folder = path.join(made.workspace, 'benchmarks/2026-01-15T10-30-00Z')
    mkdirSync(folder, { recursive: true })
    for (const file of files) writeFileSync(path.join(folder, file), 'mine')
    const end = await whetstone(made.args, { env: { ...made.env, AGENT_MS: '0' } })
    expect(end.code, end.stderr).toBe(0)
    expect(made.benchmarks()).toHaveLength(left)
  })
})

describe('afterwards', () => {
  test('Ctrl-C leaves no lease', async () => {
    const made = setUp()
    expect((await whileBusy(made, 'SIGINT', async () => {})).code).toBe(130)
    expect(made.benchmarks().flatMap(leases)).toEqual([])
  })
  test('kill -9 leaves one that the next start takes over', async () => {
    const made = setUp()
    await whileBusy(made, 'SIGKILL', async () => {})
    expect(made.benchmarks().flatMap(leases)).toHaveLength(1)
    const next = await whetstone(made.args, { env: { ...made.env, AGENT_MS: '0' } })
    expect(next.code, next.stderr).toBe(0)
    expect(made.benchmarks()).toHaveLength(1)
    expect(made.benchmarks().flatMap(leases)).toEqual([])
  })
})
