/** A benchmark killed in the middle goes on: no finished run is lost or done again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const cases = [1, 2, 3, 4].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))

function setUp() {
  const skill = makeSkill(cases)
  const folder = fresh()
  const log = path.join(folder, 'agent.log')
  const workspace = path.join(folder, 'ws')
  const args = ['bench', skill, '--engine', agent('tidy.mjs'), '--workspace', workspace]
  const flags = ['--sandbox', 'off', '--concurrency', '4', '--pass-env', 'AGENT_LOG', '--pass-env', 'AGENT_MS']
  const env = { AGENT_LOG: log, AGENT_MS: '150' }
  return { args: [...args, ...flags], env, log, workspace }
}

/** Runs in their place: `<benchmark>/<case>/<arm>/<run>` → when each started. The tree changes while it is looked at. */
function committed(workspace: string): Map<string, string> {
  const below = (folder: string) => {
    try {
      return readdirSync(folder).map((name) => path.join(folder, name))
    } catch {
      return []
    }
  }
  const cases = below(path.join(workspace, 'benchmarks'))
    .flatMap(below)
    .filter((name) => path.basename(name).startsWith('eval-'))
  const files = cases
    .flatMap(below)
    .flatMap(below)
    .map((run) => path.join(run, 'run.json'))
  return new Map(files.filter(existsSync).map((file) => [file, JSON.parse(readFileSync(file, 'utf8')).started_at]))
}

const starts = (log: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('start')).length

async function killedAfter(made: ReturnType<typeof setUp>, runs: number): Promise<Map<string, string>> {
  const end = whetstone(made.args, {
    env: made.env,
    started: async (child) => {
      while (committed(made.workspace).size < runs) await sleep(10)
      child.kill('SIGKILL')
    },
  })
  expect((await end).signal).toBe('SIGKILL')
  await sleep(1000) // agents that were starting have said so by now; some go on until the next start ends them
  return committed(made.workspace)
}

describe('SIGKILL in the middle of 24 runs', () => {
  test('then the same command does only what is missing', async () => {
    const made = setUp()
    const before = await killedAfter(made, 7)
    const startsBefore = starts(made.log)
    expect(startsBefore).toBeGreaterThan(before.size)
    const again = await whetstone(made.args, { env: made.env })
    expect(again).toMatchObject({ code: 0 })
    expect(again.stderr).toContain(`${before.size} of 24 runs already done`)
    const after = committed(made.workspace)
    expect(after.size).toBe(24)
    expect([...before].filter(([name, at]) => after.get(name) !== at)).toEqual([])
    expect(starts(made.log) - startsBefore).toBe(24 - before.size)
    expect(readdirSync(path.join(made.workspace, 'benchmarks'))).toHaveLength(1)
  })
  test('negative control: a run not at its place is done again', async () => {
    const made = setUp()
    const before = await killedAfter(made, 7)
    const startsBefore = starts(made.log)
    const [first = ''] = before.keys()
    const folder = path.dirname(first)
    mkdirSync(path.join(made.workspace, 'aside'))
    renameSync(folder, path.join(made.workspace, 'aside/run'))
    await whetstone([...made.args, '--no-cache'], { env: made.env })
    expect(starts(made.log) - startsBefore).toBe(24 - before.size + 1)
  })
})

describe('Ctrl-C', () => {
  test('lets running work end, writes what there is, says that it was stopped', async () => {
    const made = setUp()
    const end = await whetstone(made.args, {
      env: made.env,
      started: async (child) => {
        while (committed(made.workspace).size < 4) await sleep(10)
        child.kill('SIGINT')
      },
    })
    expect(end.code).toBe(130)
    expect(end.stdout).toContain('INCOMPLETE')
    const done = committed(made.workspace).size
    expect(starts(made.log)).toBe(done)
    expect((await whetstone(made.args, { env: made.env })).code).toBe(0)
    expect(starts(made.log)).toBe(24)
  })
  test.each<[string, NodeJS.Signals[], number | null]>([
    ['twice', ['SIGINT', 'SIGINT'], 130],
    ['once, by a terminal that closes,', ['SIGHUP'], null],
  ])('%s ends at once, leaves no agent behind and keeps what was finished', async (_, signals, code) => {
    const made = setUp()
    const end = await whetstone(made.args, {
      env: { ...made.env, AGENT_MS: '60000' },
      started: async (child) => {
        while (!existsSync(made.log) || starts(made.log) < 4) await sleep(10)
        for (const signal of signals) {
          child.kill(signal)
          await sleep(100)
        }
      },
    })
    expect(end.code).toBe(code)
    expect(readFileSync(made.log, 'utf8')).not.toContain('end')
    const pids = [...readFileSync(made.log, 'utf8').matchAll(/start (\d+)/g)].map(([, pid]) => Number(pid))
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  })
})

describe('Ctrl-C tells which command goes on', () => {
  const cut = async (
    args: readonly string[],
    { env, log }: Pick<ReturnType<typeof setUp>, 'env' | 'log'>,
    signals = 1,
  ) =>
    await whetstone(args, {
      env: { ...env, AGENT_MS: signals === 1 ? '300' : '60000' },
      started: async (child) => {
        while (!existsSync(log) || starts(log) < 1) await sleep(10)
        for (let sent = 0; sent < signals; sent += 1) {
          child.kill('SIGINT')
          await sleep(100)
        }
      },
    })
  const same = 'continue with the same command'
  const other = 'continue with the same command without --fresh'
  test.each([
    ['bench', [], same],
    ['bench', ['--fresh'], other],
  ])('%s %j, after one and after two', async (_, flags, words) => {
    const [one, two] = [setUp(), setUp()]
    const drained = await cut([...one.args, ...flags], one)
    expect(drained.stdout).toContain(`INTERRUPTED before the end; what was finished is kept; ${words}`)
    const ended = await cut([...two.args, ...flags], two, 2)
    expect(ended.stderr).toContain(`stopped; what was finished is kept; ${words}`)
  })
  test('what --fresh began goes on without it', async () => {
    const made = setUp()
    await cut([...made.args, '--fresh'], made)
    const { stdout } = await whetstone([...made.args, '--json'], { env: made.env })
    const ready = JSON.parse(stdout.split('\n')[0] ?? '')
    expect(ready).toMatchObject({ type: 'plan_ready', runs: 24 })
    expect(ready.done).toBeGreaterThan(0)
    const byCase: { eval_id: number; configuration: string; runs: number }[] = ready.done_by_case
    expect(byCase.reduce((sum, { runs }) => sum + runs, 0)).toBe(ready.done)
    expect(byCase[0]).toMatchObject({ eval_id: 1, configuration: expect.stringMatching(/^with(out)?_skill$/) })
  })
  test('many skills', async () => {
    const made = setUp()
    const args = ['bench', makeSkill(cases, {}, 'other'), ...made.args.slice(1), '--fresh']
    expect((await cut(args, made)).stdout).toContain(other)
  })
})
